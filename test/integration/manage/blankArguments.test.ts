import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { OptionOrBlank } from '../../../src/cli/refuseBlank.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { second } from '../../support/instants.ts';
import { example, type ManagedService, startManagedService } from './managedService.ts';

// Every argument and every option of every command: where it is blank, the command is called wrongly, and does nothing.

const id = '33333333-3333-4333-8333-333333333333';
const now = Date.UTC(2026, 4, 1) * 1000;

let managed: ManagedService;
let before: string;
beforeAll(async () => {
  managed = await startManagedService();
  const { service, ask } = managed;
  expect((await ask('POST', '', { ...example, id })).status).toBe(201);
  expect((await ask('PATCH', `/${id}`, { max_rows: 7 })).status).toBe(200);
  await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'A' }]);
  before = await state();
});
afterAll(async () => {
  await managed.close();
});

async function state(): Promise<string> {
  const { url, adminToken } = managed.service;
  const hash = createHash('sha256');
  for (const path of ['audit', 'endpoints', 'sources', 'projects/own/retention', 'projects/own/deletions']) {
    hash.update(await (await fetch(`${url}/api/${path}`, { headers: { 'x-api-key': adminToken } })).text());
  }
  return hash.digest('hex');
}

interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}

function leaves(command: Command, words: readonly string[] = []): readonly Leaf[] {
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((below) => leaves(below, [...words, below.name()]));
}

const program = await createProgram({
  environment: {},
  stdin: process.stdin,
  out: () => undefined,
  err: () => undefined,
  outBytes: () => undefined,
  progress: () => undefined,
  isTerminal: false,
  columns: undefined,
  delay: async () => undefined,
  onInterrupt: () => () => undefined,
  canAsk: false,
  changesOf: async function* () {},
  clock: systemClock,
  randomness: systemRandomness,
});
const commands = leaves(program).map((leaf) => ({ ...leaf, name: leaf.words.join(' ') }));

/** Values with which a command would do something, so that only the blank one stops it. */
const usual: Readonly<Record<string, string>> = {
  endpoint: id,
  id,
  version: '1',
  ref: 'own',
  name: 'edge_logs',
  file: '-',
  folder: '/nonexistent/folder',
  path: join(import.meta.dirname, '..', '..', '..', 'definitions'),
  scope: 'query',
  source: 'edge_logs',
  call: 'logs.all?project=own',
  to: join(tmpdir(), 'logmill-blank-never-made'),
};

const blanks = ['', ' ', '\t', '\u200b'];

it('walks every command', () => {
  expect(commands.length).toBeGreaterThan(30);
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['endpoints restore', 'serve', 'doctor']));
});

describe.each(commands)('logmill $name', ({ words, command }) => {
  const required = command.registeredArguments.filter((argument) => argument.required);
  const needed = command.options
    .filter((option) => option.mandatory)
    .flatMap((option) => [option.long ?? '', option.argChoices?.[0] ?? usual[option.name()] ?? 'x']);
  // With these something would be done.
  const willing = command.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
  const given = required.map((argument) => usual[argument.name()] ?? 'x');

  it.each(command.registeredArguments.map((argument, index) => ({ name: argument.name(), index })))(
    'refuses a blank $name',
    async ({ name, index }) => {
      for (const blank of blanks) {
        // An optional argument comes after those before it.
        const all = [...command.registeredArguments.slice(0, index).map((each) => usual[each.name()] ?? 'x'), blank];
        all.push(...given.slice(all.length));
        const { code, out, err } = await runCommandLine(managed.service, [...words, ...all, ...needed, ...willing]);
        expect([code, out, err]).toEqual([2, '', expect.stringContaining(`${name}`)]);
        expect(err).toMatch(/^[<[].+[>\]] is empty\. /);
      }
      expect(await state()).toBe(before);
    },
  );

  const options = command.options.filter(
    (option) => (option.required || option.optional) && !(option instanceof OptionOrBlank),
  );
  it.each(options.map((option) => ({ long: option.long ?? option.flags })))(
    'refuses a blank $long',
    async ({ long }) => {
      for (const blank of blanks) {
        const args = [...words, ...given, ...needed, ...willing, `${long}=${blank}`];
        const { code, out, err } = await runCommandLine(managed.service, args);
        expect([args, code, out]).toEqual([args, 2, '']);
        expect(err).toContain(long);
      }
      expect(await state()).toBe(before);
    },
  );
});

it('takes a blank query of the caller for none, and an empty parameter', async () => {
  const args = ['query', 'logs.all', '--param', 'project=own', '--param', 'iso_timestamp_end=', '--sql', '', '--json'];
  const { code, out } = await runCommandLine(managed.service, args);
  expect([code, JSON.parse(out).result.length]).toEqual([0, 1]);
});

it.each([
  ['projects', 'delete-events', '..', '--yes'],
  ['projects', 'delete-events', '.', '--yes'],
  ['projects', 'retention', '..', '--days', '1'],
  ['sources', 'alias', '..', 'x'],
])('logmill %s %s %s cannot leave its part of the path', async (...args) => {
  const { code, err } = await runCommandLine(managed.service, args);
  expect([code, err]).toEqual([2, expect.stringContaining('cannot be used as a name or an ID')]);
  expect(await state()).toBe(before);
});

it.each([
  ['endpoints', 'purge', '.', 'There is no endpoint named .'],
  ['endpoints', 'primary', '..', 'There is no endpoint named ..'],
  ['queries', 'kill', '..', 'No query of an endpoint named .. waits or runs.'],
])('logmill %s %s looks %s up, so it does not reach the path', async (group, name, given, message) => {
  const { code, err } = await runCommandLine(managed.service, [group, name, given]);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  expect(await state()).toBe(before);
});
