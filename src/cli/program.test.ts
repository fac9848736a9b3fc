import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { SqliteError } from 'libsql';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { storeError } from '../stores/sqlite/storeError.ts';
import type { CliContext } from './cliContext.ts';
import { createProgram } from './program.ts';
import { runCli } from './runCli.ts';

let written = '';
const context: CliContext = {
  environment: {},
  stdin: Readable.from([]),
  out: (text) => {
    written += text;
  },
  err: (text) => {
    written += text;
  },
  outBytes: () => undefined,
  progress: () => undefined,
  isTerminal: false,
  columns: undefined,
  delay: async () => undefined,
  onInterrupt: () => () => undefined,
  canAsk: false,
  changesOf: async function* () {},
  clock: new ManualClock(0),
  randomness: systemRandomness,
};

const namesOf = async (wanted?: string) => (await createProgram(context, wanted)).commands.map((each) => each.name());

describe('the command logmill', () => {
  it('makes each subcommand under the name that it is looked up by', async () => {
    const all = await namesOf();
    expect(all).toContain('serve');
    for (const name of all) expect(await namesOf(name)).toEqual(name === 'completion' ? all : [name]);
  });

  it('makes none of them to print the version', async () => {
    for (const flag of ['--version', '-v']) {
      expect(await namesOf(flag)).toEqual([]);
      written = '';
      expect(await runCli([flag, 'serve'], context)).toBe(0);
      expect(written).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
    written = '';
  });

  it('knows all of them where it is called with none, and names the nearest one', async () => {
    for (const flag of ['--help', '-h']) {
      expect(await runCli([flag], context)).toBe(0);
      expect(written).toMatch(/serve [\s\S]*tokens /);
      written = '';
    }
    expect(await runCli(['serv'], context)).toBe(2);
    expect(written).toMatch(/Did you mean serve\?/);
    expect(await runCli(['constructor'], context)).toBe(2);
  });

  it('names the command that is meant, also one of another group', async () => {
    const meant = async (...args: readonly string[]) => {
      written = '';
      expect(await runCli(args, context)).toBe(2);
      return /Did you mean (.*)\?/.exec(written)?.[1];
    };
    expect(await meant('endpoints', 'test')).toBe('logmill test');
    expect(await meant('endpoints', 'tset', '--json')).toBe('logmill test');
    expect(await meant('endpoints', 'lst')).toBe('list');
    expect(await meant('list', 'tokens')).toBe('logmill tokens list');
    expect(await meant('sources', 'explain')).toBe('logmill tokens explain');
    expect(await meant('rotate')).toBe('logmill tokens rotate');
    expect(await meant('endpoints', 'xyzzy')).toBeUndefined();
    expect(written).toBe("error: unknown command 'xyzzy'\n");
  });

  it('prints JSON with each command that ends by itself', async () => {
    const leavesOf = (command: Command): readonly Command[] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
    const silent = leavesOf(await createProgram(context)).filter(
      ({ options }) => !options.some(({ long }) => long === '--json'),
    );
    expect(silent.map((command) => command.name())).toEqual(['serve']);
    written = '';
    expect(await runCli(['completion', 'fish', '--json'], context)).toBe(0);
    expect(JSON.parse(written).script).toContain('complete -c logmill');
    written = '';
    expect(await runCli(['completion', 'powershell', '--json'], context)).toBe(2);
    expect(JSON.parse(written).detail).toContain('must be one of bash, zsh, fish');
    written = '';
  });

  it('tells in a sentence of a store that turns out to be damaged while a command works on it', async () => {
    written = '';
    const malformed = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
    const out = () => {
      throw malformed;
    };
    expect(await runCli(['config', 'print'], { ...context, out })).toBe(1);
    expect(written).toMatch(
      /^store\.sqlite of the data folder is damaged \(database disk image is malformed\)\. Keep .*\n$/,
    );
  });

  it('tells in a sentence that the disk of the store is full, whatever met it', async () => {
    const full = (code: string) => new SqliteError('database or disk is full', code, 13);
    const met = [
      full('SQLITE_FULL'),
      storeError(full('SQLITE_FULL')),
      full('SQLITE_IOERR_SHMSIZE'),
      storeError(full('SQLITE_IOERR_SHMSIZE')),
    ];
    for (const error of met) {
      written = '';
      const out = () => {
        throw error;
      };
      expect(await runCli(['config', 'print'], { ...context, out })).toBe(1);
      expect(written).toMatch(
        /^The disk of the data folder is full \(SQLITE_(FULL|IOERR_SHMSIZE)\)\. Free some space and run the command again\.\n$/,
      );
    }
  });

  it('writes nothing that a terminal obeys, in results and in messages', async () => {
    written = '';
    expect(await runCli(['serv\u202e\u001b[2Je'], context)).toBe(2);
    expect(written).toContain('serv\\u202e\\u001b[2Je');
    written = '';
    const environment = { LOGMILL_DEFAULT_PROJECT: 'a\u202eb\u009b' };
    expect(await runCli(['config', 'print'], { ...context, environment })).toBe(0);
    expect(written).not.toMatch(/[\u202e\u009b]/);
  });

  it('ends with 2 where it is called wrongly, also by settings and by what a token cannot have', async () => {
    const codeOf = async (args: readonly string[], environment: CliContext['environment'] = {}) =>
      await runCli(args, { ...context, environment });
    const dataDir = ['--data-dir', '/nonexistent/data'];
    for (const args of [
      ['serve', '--port', 'abc'],
      ['serve', '--config', '/nonexistent/settings.yaml'],
      ['config', 'print', '--port', 'abc'],
      ['tokens', 'create', '--scope', 'nosuch', ...dataDir],
      ['tokens', 'create', ...dataDir],
      ['tokens', 'create', '--scope', 'query', '--project', '', ...dataDir],
    ]) {
      expect([args, await codeOf(args)]).toEqual([args, 2]);
    }
    expect(await codeOf(['serve'], { LOGMILL_NOSUCH: '1' })).toBe(2);
    expect(await codeOf(['serve', '--admin-token-file', '/nonexistent/token'])).toBe(2);
    // A folder that is not there may come; the call itself is right.
    expect(await codeOf(['tokens', 'list', ...dataDir])).toBe(1);
  });

  it('describes flags for settings like the other flags: in lower case, without Markdown', async () => {
    written = '';
    expect(await runCli(['serve', '--help'], context)).toBe(0);
    expect(written).toMatch(/--port <value> +port that the service listens on; 0 picks a\s+free port/);
    expect(written).toMatch(/--redact-patterns <value> +RE2 patterns/);
    expect(written).not.toContain('`');
    written = '';
  });
});
