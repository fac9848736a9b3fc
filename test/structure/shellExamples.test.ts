import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { demoProjects } from '../../src/demo/generate.ts';
import { packageVersion } from '../../src/start/packageInfo.ts';
import { endless, isAmong, notRun, pagesWithShell, type Shell, shells } from '../support/shellExamples.ts';

// The acceptance tests run the examples. Here each command only records its words and its input, also of the examples that
// cannot run in a test. If these are the same in zsh as in bash, so is what the examples do.

/** Every command of the examples that is not built into the shell. */
const commands =
  'base64 cat chmod cp curl date docker grep head install kubectl logmill mkdir mv npm rm sed systemctl tail'.split(
    ' ',
  );

const pages = pagesWithShell();
const folder = mkdtempSync(join(tmpdir(), 'logmill-shells-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly stderr: string;
  /** What each command was given, in a fixed order, since the commands of a pipe run at the same time. */
  readonly records: readonly string[];
}

/** Runs every page in a shell whose commands all end with the status. */
function runIn(shell: Shell, status: 0 | 1): Run {
  const [program, ...flags] = shells[shell];
  const work = mkdtempSync(join(folder, 'run-'));
  for (const needed of ['etc/logmill', 'examples/container']) mkdirSync(join(work, needed), { recursive: true });
  const record = join(work, 'record');
  const script = [
    // Nothing but what is defined here.
    'PATH=/nonexistent',
    // In one write, since the commands of a pipe run at the same time.
    `record() { words=$(printf '%s|' "$@"); input=$(/bin/cat); printf '%s\\n%s\\1' "$words" "$input" >> '${record}'; echo made-up; return ${status}; }`,
    ...commands.map((name) => `${name}() { record ${name} "$@"; }`),
    'mkdir() { record mkdir "$@"; /bin/mkdir "$@"; }',
    'set -u',
    ...pages.map(({ examples }) => `(\n${examples.join('')})`),
  ].join('\n');
  const { stderr } = spawnSync(program, [...flags, '-c', script.replaceAll('/etc/', `${work}/etc/`)], {
    cwd: work,
    encoding: 'utf8',
    input: '',
    env: {
      PATH: process.env.PATH ?? '',
      LOGMILL_URL: 'http://127.0.0.1:4100',
      LOGMILL_DATA_DIR: '/srv/some where',
      LOGMILL_TOKEN: 'lm_made_up',
    },
  });
  return { stderr, records: readFileSync(record, 'utf8').replaceAll(work, '').split('\u0001').sort() };
}

const hasZsh = spawnSync('zsh', ['--version']).status === 0;

const statuses = [0, 1] as const;
const inBash = statuses.map((status) => runIn('bash', status));

describe('the shell examples of the documentation', () => {
  it('use only known commands, and variables that they set or that "npm start" prints', () => {
    expect(inBash.map(({ stderr }) => stderr)).toEqual(['', '']);
    expect(inBash[1]?.records.length).toBeGreaterThan(pages.length * 3);
  });

  it.skipIf(!hasZsh)('give every command the same words in zsh as in bash', () => {
    expect(statuses.map((status) => runIn('zsh', status))).toEqual(inBash);
  });

  it('run in the acceptance tests, but for those that a list names with the reason', () => {
    for (const each of [...notRun, ...endless]) {
      const named = pages.flatMap(({ name, examples }) => examples.filter((text) => isAmong([each], name, text)));
      expect([each, named.length]).toEqual([each, 1]);
    }
  });

  it('name no port, no folder and no version that a reader can have otherwise', () => {
    for (const { name, examples } of pages) {
      for (const text of examples) {
        expect([name, text]).not.toEqual([name, expect.stringMatching(/127\.0\.0\.1:4000|\bdata\/admin-token/)]);
        for (const [, version] of text.matchAll(/logmill-([\d.]+)\.tgz/g)) expect(version).toBe(packageVersion());
      }
    }
  });

  it('of the quick start are about the projects of the sample data, which it names', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'quick-start.md'), 'utf8');
    for (const project of demoProjects) expect(text).toContain(`project=${project}`);
    const named = [...text.matchAll(/\bproject=([a-z-]+)/g)].map(([, project]) => project);
    expect(named.filter((project) => ![...demoProjects, 'first-project'].includes(project ?? ''))).toEqual([]);
  });

  it('are beside programs in other languages that take the address and the token from the same variables', () => {
    const folder = join(import.meta.dirname, '..', '..', 'docs', 'guides');
    const programs = readdirSync(folder).flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/^```(?:ts|python)\n([\s\S]*?)^```$/gm)].map(
        ([, text = '']) => [name, text] as const,
      ),
    );
    expect(programs.length).toBeGreaterThan(4);
    for (const [name, text] of programs) {
      expect([name, text]).toEqual([name, expect.stringMatching(/LOGMILL_URL[\s\S]*LOGMILL_TOKEN/)]);
      expect([name, text]).not.toEqual([name, expect.stringMatching(/127\.0\.0\.1|localhost/)]);
    }
  });

  it('have nothing that interactive shells or the tools of other systems understand otherwise', () => {
    for (const { name, examples } of pages) {
      for (const text of examples) {
        // An interactive zsh passes comments as words; sed of BSD takes the word after -i as a suffix.
        expect([name, text]).not.toEqual([name, expect.stringMatching(/(^|\s)#(\s|$)|\bsed -i\b/m)]);
        // History expansion, which happens also within double quotes.
        expect([name, text.replaceAll(/'[^']*'/g, '')]).not.toEqual([name, expect.stringMatching(/![\w!"$-]/)]);
      }
    }
  });
});
