import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { TablePart } from '../process/protocol.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineFailure } from './engineFailure.ts';
import type { EngineSupervisor } from './engineSupervisor.ts';
import { FunctionProcess } from './functionProcess.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-copies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outOfMemory = () =>
  new EngineFailure({ kind: 'memory', message: null, detail: 'Out of Memory Error', line: 0, column: 0 });
const part: TablePart = { table: 'edge_logs', projects: null, fromMicros: null, toMicros: null };
const reads = [{ file: { alias: 'active_1', kind: 'active' as const }, part }];

/** A function process whose main process answers the copies of its rows with these outcomes, the last one ever after. */
function functionProcess(outcomes: readonly (Error | null)[], memoryWaitMs = 1, ends: readonly Promise<void>[] = []) {
  let copies = 0;
  const main = {
    start: () => {
      const outcome = outcomes[Math.min(copies++, outcomes.length - 1)] ?? null;
      return { id: copies, reply: outcome === null ? Promise.resolve({}) : Promise.reject(outcome) };
    },
    call: async () => ({}),
    endsOfCalls: () => ends,
  };
  const process = new FunctionProcess({
    settings: { ...defaultDuckDbSettings, memoryWaitMs },
    eventsDir: folder,
    spillDir: join(folder, 'spill'),
    copiesDir: join(folder, 'copies'),
    observe: () => {},
    main: { readyWithin: async () => main, killReason: () => undefined } as unknown as EngineSupervisor,
    attached: () => [],
    activeFiles: () => [],
    space: { hasRoom: async () => true },
  });
  const engine = { hasEnded: false, call: async () => ({}) } as unknown as EngineConnection;
  const told: string[] = [];
  const time = { pause: () => told.push('pause'), resume: () => told.push('resume') };
  const provide = async (signal: AbortSignal) => await process.provide(engine, reads, signal, time);
  return { provide, copies: () => copies, told };
}

it('waits while other queries hold the memory that a copy needs', async () => {
  const { provide, copies } = functionProcess([outOfMemory(), outOfMemory(), null]);
  await (await provide(new AbortController().signal))();
  expect(copies()).toBe(3);
});

it('pauses the time of its statement while it waits for memory, and only then', async () => {
  const { provide, told } = functionProcess([outOfMemory(), null]);
  await (await provide(new AbortController().signal))();
  expect(told).toEqual(['pause', 'resume']);
  const other = functionProcess([null]);
  await (await other.provide(new AbortController().signal))();
  expect(other.told).toEqual([]);
});

it('gives up a copy that never finds memory, and one whose caller has left', async () => {
  await expect(functionProcess([outOfMemory()]).provide(new AbortController().signal)).rejects.toMatchObject({
    failure: { kind: 'memory' },
  });
  const leaving = new AbortController();
  const { provide } = functionProcess([outOfMemory()]);
  const waiting = provide(leaving.signal);
  leaving.abort();
  await expect(waiting).rejects.toThrow();
});
