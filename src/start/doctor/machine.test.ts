import { expect, it } from 'vitest';
import { settingsSchema } from '../settings.ts';
import { checkMachine, type Machine } from './machine.ts';
import { thisMachine } from './thisMachine.ts';

const settings = settingsSchema.parse({ memory: '512MiB', engineThreads: 2 });
const good: Machine = { nodeVersion: '20.19.0', memoryBytes: 2 ** 31, processors: 2, openFilesMax: 65_536 };
const statuses = (machine: Partial<Machine>) =>
  Object.fromEntries(checkMachine({ ...good, ...machine }, settings).map(({ check, status }) => [check, status]));
const allOk = { node: 'ok', memory: 'ok', threads: 'ok', 'open files': 'ok' };

it('has nothing to say of a machine that is large enough', () => {
  expect(statuses({})).toEqual(allOk);
  expect(statuses({ nodeVersion: '24.1.0', openFilesMax: null })).toEqual(allOk);
});

it.each([
  [{ nodeVersion: '20.18.3' }, { node: 'fail' }],
  [{ nodeVersion: '18.20.0' }, { node: 'fail' }],
  [{ memoryBytes: 700 * 2 ** 20 }, { memory: 'warn' }],
  [{ processors: 1 }, { threads: 'warn' }],
  [{ openFilesMax: 1024 }, { 'open files': 'warn' }],
] as const)('tells what is short: %j', (machine, found) => {
  expect(statuses(machine)).toEqual({ ...allOk, ...found });
});

it('says what to do wherever it finds something', () => {
  const findings = checkMachine({ nodeVersion: '4.0.0', memoryBytes: 1, processors: 0, openFilesMax: 3 }, settings);
  expect(findings.map(({ advice }) => typeof advice)).toEqual(['string', 'string', 'string', 'string']);
});

it('reads this machine', () => {
  const { nodeVersion, memoryBytes, processors } = thisMachine();
  expect(nodeVersion).toBe(process.versions.node);
  expect(memoryBytes).toBeGreaterThan(2 ** 20);
  expect(processors).toBeGreaterThan(0);
});
