import { ManualClock } from '../../src/core/clock.ts';
import { DuckDbQueryEngine } from '../../src/engines/duckdb/query/duckdbQueryEngine.ts';
import type { EngineRunner } from '../../src/engines/duckdb/query/statementRunner.ts';
import { TestStorage } from '../../src/engines/duckdb/storage.fixture.ts';
import type { StoredEvent } from '../../src/ports/eventLog.ts';
import type { EngineUnderTest, HarnessOptions, StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { defaultRedactionConfig } from '../../src/redact/redactionConfig.ts';
import { Removals } from '../../src/retention/removals.ts';
import { RetentionRules } from '../../src/retention/retentionRules.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import type { OpenEngine } from '../../src/start/engineInputs.ts';
import { openEngine } from '../../src/start/openEngine.ts';
import { redactionConfigOf } from '../../src/start/redactionSettings.ts';
import { SqliteFileManifest } from '../../src/stores/sqlite/sqliteFileManifest.ts';
import { clickhouse } from '../engines/clickhouse/clickhouseEngine.ts';
import { openMemoryEngine } from '../engines/memory/memoryEngine.ts';

/** Events per batch when a harness stores them. */
const seedEventsMax = 5_000;
export const never = new AbortController().signal;

const startMicros = 1_700_000_000_000_000;
const nothingRemoved = () => new Removals(new RetentionRules({ days: 0, bySource: new Map() }));

/** An engine for the suites to test, alone and in a whole service. */
export interface ServedEngine extends EngineUnderTest {
  /** Opens it for a service (start/openEngine.ts). */
  readonly openForService: OpenEngine;
}

export const duckdb: ServedEngine = {
  name: 'DuckDB',
  states: {
    isDurable: true,
    findsDamage: true,
    isRowsScannedExact: true,
    barrier: true,
    snapshot: true,
    pages: true,
    parquet: true,
    streams: true,
    tails: true,
    changes: true,
    seals: true,
    crashes: true,
  },
  openForService: openEngine,
  open: async ({
    sources = builtinSources,
    removals = nothingRemoved(),
    partEvents,
    mergeParts,
    ...settings
  }: HarnessOptions = {}) => {
    const done: number[] = [];
    const test = await TestStorage.open(
      {
        ...settings,
        ...(partEvents === undefined ? {} : { rotateEvents: partEvents }),
        ...(mergeParts === undefined ? {} : { frozenFilesMax: 100, mergeFiles: mergeParts }),
      },
      sources,
      undefined,
      {
        removals,
        deletionDone: async ({ token }) => void done.push(token),
      },
    );
    return {
      get engine() {
        return test.storage;
      },
      clock: test.clock,
      removals,
      deletionsDone: done,
      get starts() {
        return test.observations.filter((each) => each.kind === 'engine.started' && each.role === undefined).length;
      },
      seed: async (source, events) => {
        for (let from = 0; from < events.length; from += seedEventsMax) {
          const part = events.slice(from, from + seedEventsMax);
          await test.storage.log.append({ source, events: part, identity: null });
        }
      },
      read: async (source) => await test.read(source),
      idsByArrival: async (source) =>
        (await test.values(`SELECT id FROM {${source}} ORDER BY arrival_number`)).map(([id]) => String(id)),
      age: async () => await test.storage.sealNow(),
      merge: async () => await test.storage.mergeNow(),
      runUnheld: async (request, signal) => {
        const { files, statements } = test.storage;
        const held: EngineRunner = {
          ...statements.boundTo(request.projects),
          redactor: statements.redactor,
          boundTo: () => statements.boundTo(request.projects),
        };
        return await new DuckDbQueryEngine(files, held).run({ ...request, projects: null }, signal);
      },
      restart: async () => await test.reopen(),
      crash: async () => await test.killEngine(),
      close: async () => await test.close(),
    } satisfies StorageHarness;
  },
};

export const memory: ServedEngine = {
  name: 'memory',
  states: {
    isDurable: false,
    findsDamage: false,
    isRowsScannedExact: true,
    barrier: true,
    snapshot: false,
    pages: true,
    parquet: false,
    streams: false,
    tails: false,
    changes: false,
    seals: false,
    crashes: false,
  },
  openForService: async ({ settings, clock, observe, database, sources, stored }) =>
    await openMemoryEngine({
      sources,
      clock,
      observe,
      ...stored,
      // The store counts the removed events.
      noteRemoval: async (removal) => await new SqliteFileManifest(database).commit(null, [], removal),
      redaction: redactionConfigOf(settings),
      redactionRowsMax: settings.redactionRowsMax,
      memoryBytesMax: settings.memory,
    }),
  open: async ({
    sources = builtinSources,
    removals = nothingRemoved(),
    redaction = defaultRedactionConfig,
    redactionRowsMax = 200_000,
    memoryBytesMax = 512 * 2 ** 20,
  }: HarnessOptions = {}) => {
    const clock = new ManualClock(startMicros);
    const done: number[] = [];
    const engine = await openMemoryEngine({
      sources,
      clock,
      observe: () => undefined,
      removals,
      deletionDone: async ({ token }) => void done.push(token),
      noteRemoval: async () => {},
      redaction,
      redactionRowsMax,
      memoryBytesMax,
    });
    const absent = () => Promise.reject(new Error('this engine does not state that'));
    return {
      engine,
      clock,
      removals,
      deletionsDone: done,
      starts: 1,
      seed: async (source, events) => engine.rows.add(source, events),
      read: async (source) => engine.rows.all(source).map(({ event }): StoredEvent => event),
      idsByArrival: async (source) => engine.rows.all(source).map(({ event }) => event.id),
      age: async () => {},
      runUnheld: async (request, signal) => await engine.queries.runPlanned(request, null, signal),
      restart: absent,
      crash: absent,
      close: async () => await engine.close(),
    } satisfies StorageHarness;
  },
};

/** The engine for suites that run on one: DuckDB, or the one that the test project names (vitest.config.ts). */
export const engineUnderTest: ServedEngine =
  process.env.TEST_ENGINE === 'memory' ? memory : process.env.TEST_ENGINE === 'clickhouse' ? clickhouse : duckdb;

const isInPart = engineUnderTest === clickhouse && process.env.CLICKHOUSE_SUITES !== 'whole';

/**
 * A share of a suite's cases if they run on ClickHouse in `npm test`, because a statement takes long there; otherwise all (decision
 * 105).
 */
export const casesOfRun = <T>(cases: readonly T[], one: { readonly of: number }): readonly T[] =>
  isInPart ? cases.filter((_, n) => n % one.of === 0) : cases;

/** The same for a number of random cases. */
export const countOfRun = (cases: number, one: { readonly of: number }): number =>
  isInPart ? Math.ceil(cases / one.of) : cases;

/** Adds the name of the engine to a title. */
export const onEngine = (title: string): string => `${title}, on ${engineUnderTest.name}`;
