import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
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
  isTerminal: false,
  columns: undefined,
  delay: async () => undefined,
  onInterrupt: () => () => undefined,
  clock: new ManualClock(0),
  randomness: systemRandomness,
};

const namesOf = async (wanted?: string) => (await createProgram(context, wanted)).commands.map((each) => each.name());

describe('the command logmill', () => {
  it('makes each subcommand under the name that it is looked up by', async () => {
    const all = await namesOf();
    expect(all).toContain('serve');
    for (const name of all) expect(await namesOf(name)).toEqual([name]);
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
});
