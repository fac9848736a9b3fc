import { expect, it } from 'vitest';
import { ManualClock } from '../../../core/clock.ts';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import { Turns } from '../../../core/concurrency/turns.ts';
import { systemRandomness } from '../../../core/ids.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { FreeSpace } from '../files/freeSpace.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { tableLayout } from '../files/tableLayout.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { EngineDied, EngineFailure } from '../host/engineFailure.ts';
import { defaultDuckDbSettings } from '../settings.ts';
import { ActiveFile } from './activeFile.ts';
import { ArrivalNumbers } from './arrivalNumbers.ts';
import { DuckDbEventLog } from './duckdbEventLog.ts';
import { IdentityMemory } from './identityMemory.ts';

const noMemory = () => new EngineFailure({ kind: 'memory', message: null, line: 0, column: 0, detail: 'no memory' });

const broken = () =>
  new EngineFailure({ kind: 'engine', message: null, line: 0, column: 0, detail: 'IO Error: broken' });

/** A log whose engine answers as the script says, one step for each call. */
function scripted(script: readonly (readonly [call: string, answer: () => unknown])[]) {
  const calls: string[] = [];
  const file = new ActiveFile(1, '/events/active-1.duckdb', 0);
  let created = 0;
  // A connection reduced to the calls of a commit.
  const engine = {
    ended: Promise.resolve(),
    call: async (name: string) => {
      const [expected, answer] = script[calls.length] ?? ['nothing', () => ({})];
      calls.push(name);
      expect(name).toBe(expected);
      return { gives: answer() };
    },
  } as unknown as EngineConnection;
  const clock = new ManualClock(1_000_000);
  const log = new DuckDbEventLog({
    supervisor: { ready: async () => engine, kill: () => undefined },
    files: {
      isBehind: false,
      lacksRoom: false,
      isCurrent: (asked) => asked === file,
      current: async () => {
        created++;
        // If a file had become due for rotation meanwhile, it would be another one.
        return created === 1 ? file : new ActiveFile(created, `/events/active-${created}.duckdb`, 0);
      },
    },
    layouts: new Map(builtinSources.map((source) => [source.name, tableLayout(source)])),
    turns: new Turns(),
    identities: new IdentityMemory(60_000, 10, 1_000_000),
    arrivals: new ArrivalNumbers(new ManifestInMemory(), 0, 0),
    clock,
    randomness: systemRandomness,
    settings: { ...defaultDuckDbSettings, memoryWaitMs: 0 },
    space: new FreeSpace({
      read: async () => ({ free: 2 ** 40, total: 2 ** 41 }),
      freeBytesMin: null,
      clock,
      observe: () => undefined,
    }),
    lane: new Mutex(),
    begin: () => () => {},
    committed: () => {},
  });
  return { log, calls, file };
}

const batch = {
  source: 'database_logs',
  identity: null,
  events: [{ id: 'a', timestampMicros: 1, project: 'p', eventMessage: '', metadata: '{}', hot: [], irregular: [] }],
};

const noSpace = () =>
  new EngineFailure({
    kind: 'engine',
    message: null,
    line: 0,
    column: 0,
    detail: 'TransactionContext Error: Failed to commit: Could not write file "a.wal": No space left on device',
  });

const fail = (error: Error) => () => {
  throw error;
};

it('looks for a commit until it is known, though queries hold the memory, and stores it once', async () => {
  const { log, calls, file } = scripted([
    ['append', fail(new EngineDied('killed'))],
    ['findCommit', fail(noMemory())],
    ['findCommit', () => ({ isStored: true })],
  ]);
  expect(await log.append(batch)).toEqual({ kind: 'stored' });
  expect(calls).toEqual(['append', 'findCommit', 'findCommit']);
  expect(file.events).toBe(1);
});

it('sends a batch again that a living engine had no memory for and did not store', async () => {
  const { log, calls } = scripted([
    ['append', fail(noMemory())],
    ['findCommit', () => ({ isStored: false })],
    ['append', () => ({})],
  ]);
  expect(await log.append(batch)).toEqual({ kind: 'stored' });
  expect(calls).toEqual(['append', 'findCommit', 'append']);
});

it('does not send a batch again whose commit failed when it was durable', async () => {
  for (const error of [noMemory(), broken()]) {
    const { log, calls } = scripted([
      ['append', fail(error)],
      ['findCommit', () => ({ isStored: true })],
    ]);
    expect(await log.append(batch)).toEqual({ kind: 'stored' });
    expect(calls).toEqual(['append', 'findCommit']);
  }
});

it('gives back a batch that the engine refused and did not store', async () => {
  const { log } = scripted([
    ['append', fail(broken())],
    ['findCommit', () => ({ isStored: false })],
  ]);
  await expect(log.append(batch)).rejects.toMatchObject({ code: 'engine.failed' });
});

it('gives a batch back as refused by the disk when its commit found no room', async () => {
  const { log, calls } = scripted([
    ['append', fail(noSpace())],
    ['findCommit', () => ({ isStored: false })],
  ]);
  await expect(log.append(batch)).rejects.toMatchObject({ code: 'ingest.disk_full', retryAfterSeconds: 15 });
  expect(calls).toEqual(['append', 'findCommit']);
});

it('gives a batch back as overload when the memory does not come free', async () => {
  const { log } = scripted(
    Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0 ? (['append', fail(noMemory())] as const) : (['findCommit', () => ({ isStored: false })] as const),
    ),
  );
  await expect(log.append(batch)).rejects.toMatchObject({ code: 'ingest.overloaded' });
});
