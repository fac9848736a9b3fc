import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashCompletion } from './bashCompletion.ts';
import { completedCommands } from './completedCommands.ts';
import { fishCompletion } from './fishCompletion.ts';
import { zshCompletion } from './zshCompletion.ts';

const program = new Command('logmill')
  .addCommand(
    new Command('endpoints').description("an author's: endpoints").addCommand(
      new Command('list')
        .option('-n, --name <name>', 'only that name')
        .addOption(new Option('--as <form>').choices(['table', 'json']))
        .addOption(new Option('--hidden').hideHelp()),
    ),
  )
  .addCommand(
    new Command('describe')
      .argument('[endpoint]')
      .argument('[path]')
      .option('-p, --param <value>', 'a parameter')
      .option('--url <url>'),
  )
  .addCommand(new Command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh'])))
  .addCommand(new Command('list'));
const commands = completedCommands(program);

/** In place of the command: prints what it is given, and words of senders. */
const answers = `logmill() { printf '%s\\n' "<$1 $2 $3>" '$(touch made)' 'two words'; }`;

/** What each shell is asked for the last of the words; the lines that it answers. */
const shells: Readonly<Record<string, { script: string; complete(words: readonly string[]): readonly string[] }>> = {
  bash: {
    script: bashCompletion(commands),
    complete: (words) =>
      linesOf('bash', [
        '-c',
        `${answers}; source "$0"; COMP_LINE="$*" COMP_POINT=$((\${#COMP_LINE})); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _logmill; printf '%s\\n' "\${COMPREPLY[@]}"`,
        join(folder, 'bash'),
        ...words,
      ]),
  },
  zsh: {
    script: zshCompletion(commands),
    // The functions of zsh's own system that the script calls, such that they print what they are given. As there,
    // options are offered only if the word begins with a hyphen.
    complete: (words) =>
      linesOf('zsh', [
        '-fc',
        `compdef() {}; compadd() { shift; print -rl -- "$@" }; _files() {}; _describe() { if [[ $1 == -o ]]; then shift; [[ \${words[CURRENT]} == -* ]] || return; fi; print -rl -- \${\${(P)2}%%:*} }; ${answers}; source "$0"; words=("$@"); CURRENT=$#; _logmill`,
        join(folder, 'zsh'),
        ...words,
      ]),
  },
  fish: {
    script: fishCompletion(commands),
    complete: (words) =>
      linesOf('fish', [
        '--no-config',
        '-c',
        `function logmill; printf '%s\\n' "<$argv>" '$(touch made)' 'two words'; end; source $argv[1]; complete -C "$argv[2]"`,
        join(folder, 'fish'),
        words.join(' '),
      ]).map((line) => line.split('\t')[0] ?? ''),
  },
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-completion-'));
  for (const [shell, { script }] of Object.entries(shells)) writeFileSync(join(folder, shell), script);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (shell: string, args: readonly string[]): readonly string[] =>
  execFileSync(shell, args, { encoding: 'utf8', cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    .split('\n')
    .filter((line) => line !== '')
    .sort();

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe.each(Object.entries(shells).filter(([shell]) => isInstalled(shell)))('%s', (_shell, { complete }) => {
  it('completes commands, at each level', () => {
    expect(complete(['logmill', ''])).toEqual(['completion', 'describe', 'endpoints', 'list']);
    expect(complete(['logmill', 'e'])).toContain('endpoints');
    expect(complete(['logmill', 'endpoints', ''])).toEqual(['list']);
  });

  it('completes the options of a command, and those only', () => {
    expect(complete(['logmill', 'endpoints', 'list', '--'])).toEqual(
      expect.arrayContaining(['--as', '--help', '--name']),
    );
    expect(complete(['logmill', 'endpoints', 'list', '--'])).not.toContain('--hidden');
    expect(complete(['logmill', 'list', '--'])).not.toContain('--name');
  });

  it('completes values of options and arguments that can have no others', () => {
    expect(complete(['logmill', 'endpoints', 'list', '--as', ''])).toEqual(['json', 'table']);
    expect(complete(['logmill', 'completion', ''])).toEqual(['bash', 'zsh']);
  });

  it('asks the service for names, with the line, and runs nothing that the answer holds', () => {
    const found = complete(['logmill', 'describe', '-p', 'project=x', 'logs.all', '']);
    expect(found.join()).toContain('describe -p project=x logs.all >');
    expect(found).toContain('$(touch made)');
    expect(readdirSync(folder).sort()).toEqual(Object.keys(shells).sort());
    const flags = complete(['logmill', 'describe', '--']);
    expect(flags).toEqual(expect.arrayContaining(['--help', '--param', '--url']));
    expect(flags).not.toContain('two words');
  });

  it('takes no value of an option for a command', () => {
    expect(complete(['logmill', 'endpoints', 'list', '--name', 'list', '--as', ''])).toEqual(['json', 'table']);
  });
});
