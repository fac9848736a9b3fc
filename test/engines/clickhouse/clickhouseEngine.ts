import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observation } from '../../../src/core/observation.ts';
import { systemTimer } from '../../../src/core/timer.ts';
import { openClickHouseStorage, type QuerySide } from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import {
  type ClickHouseQueries,
  defaultFetchSettings,
  type FetchSettings,
  openQueries,
} from '../../../src/engines/clickhouse/query/openQueries.ts';
import { defaultClickHouseSettings } from '../../../src/engines/clickhouse/settings.ts';
import { type DuckDbSettings, defaultDuckDbSettings } from '../../../src/engines/duckdb/settings.ts';
import type { EngineUnderTest, HarnessOptions, StorageHarness } from '../../../src/ports/storageHarness.contract.ts';
import { defaultRedactionConfig } from '../../../src/redact/redactionConfig.ts';
import { Removals } from '../../../src/retention/removals.ts';
import { RetentionRules } from '../../../src/retention/retentionRules.ts';
import type { OpenEngine } from '../../../src/start/engineInputs.ts';
import { redactionConfigOf } from '../../../src/start/redactionSettings.ts';
import { SqlCommitLedger } from '../../../src/stores/sql/sqlCommitLedger.ts';
import { SqlRemovalRecords } from '../../../src/stores/sql/sqlRemovalRecords.ts';
import { startClickHouse, type TestClickHouse } from '../../clickhouse/startClickHouse.ts';
import type { User } from '../../clickhouse/users.ts';
import { TestClickHouseStorage } from './testClickHouseStorage.ts';

/** The ClickHouse of the tests of one file; each storage has a database of its own in it. It ends with this process. */
let started: Promise<TestClickHouse> | null = null;

/** Users of the stand-in who lack one of the rights of the guide. */
export const withoutViews: User = {
  name: 'without_views',
  password: 'a',
  grants: ['SELECT ON *.*', 'CREATE DATABASE, CREATE TABLE, ALTER TABLE, INSERT ON *.*'],
};
export const withoutTheirs: User = { name: 'without_theirs', password: 'b', grants: ['SELECT ON system.*'] };

export async function sharedClickHouse(): Promise<TestClickHouse> {
  started ??= startClickHouse({ users: [withoutViews, withoutTheirs] });
  return await started;
}

/** Events per batch when the harness stores them. */
const seedEventsMax = 5_000;
/** A busy machine must not make the storage give up. */
const patient = { insertMs: 60_000, commitMs: 240_000 };

/** Opens the queries of a storage, with a folder that is removed when they are closed. */
export async function openTestQueries(
  side: QuerySide,
  removals: Removals,
  observe: (observation: Observation) => void,
  engine: Partial<DuckDbSettings>,
  fetch: Partial<FetchSettings> = {},
): Promise<ClickHouseQueries> {
  const temporaryDir = await mkdtemp(join(tmpdir(), 'logmill-fetched-'));
  const queries = await openQueries({
    ...side,
    removals,
    temporaryDir,
    fetch: { ...defaultFetchSettings, ...fetch },
    // Statements wait however long a new process takes to start on a busy machine.
    engine: { ...defaultDuckDbSettings, restartWaitMs: 300_000, ...engine },
    observe,
  });
  return {
    ...queries,
    get engine() {
      return queries.engine;
    },
    close: async () => {
      await queries.close();
      await rm(temporaryDir, { recursive: true, force: true });
    },
  };
}

/** A started storage that reads its store for each query. `sideOf` may replace what its queries are opened with. */
export async function startedTestStorage(
  fetch: Partial<FetchSettings> = {},
  sideOf: (side: QuerySide) => QuerySide = (side) => side,
): Promise<TestClickHouseStorage> {
  const test = await TestClickHouseStorage.create(await sharedClickHouse(), {
    settings: { freshMs: 0 },
    openQueries: async (side) => await openTestQueries(sideOf(side), test.removals, () => undefined, {}, fetch),
  });
  await test.start();
  return test;
}

/**
 * The engine for the suites. `crashed` is the process that the harness kills: that of ClickHouse, or the one that answers
 * queries over what ClickHouse sends.
 */
export function clickhouseEngine(
  crashed: 'ClickHouse' | 'queries',
): EngineUnderTest & { readonly openForService: OpenEngine } {
  return {
    name: 'ClickHouse',
    states: {
      isDurable: true,
      findsDamage: false,
      isRowsScannedExact: false,
      barrier: true,
      snapshot: false,
      pages: true,
      parquet: true,
      streams: true,
      tails: true,
      changes: false,
      seals: false,
      crashes: true,
    },
    openForService,
    open: async (options = {}) => await open(options, crashed),
  };
}

/** By data folder, so that a service finds its events again. */
const databases = new Map<string, string>();

const openForService: OpenEngine = async (inputs) => {
  const { settings, database, stored, sources, clock, randomness, observe, turns, followRemovals } = inputs;
  const { url, user, password, createDatabase } = await sharedClickHouse();
  const place = { database: databases.get(settings.dataDir) ?? (await createDatabase()), cluster: null };
  databases.set(settings.dataDir, place.database);
  const account = { name: user, password };
  return await openClickHouseStorage({
    ...stored,
    clock,
    randomness,
    observe,
    turns,
    urls: [url],
    place,
    writer: account,
    reader: account,
    settings: { ...defaultClickHouseSettings, ...patient },
    sources,
    ledger: new SqlCommitLedger(database),
    records: new SqlRemovalRecords(database),
    followRemovals,
    timer: systemTimer,
    openQueries: async (side) =>
      await openTestQueries(side, stored.removals, observe, {
        memoryBytesMax: settings.memory,
        redaction: redactionConfigOf(settings),
        redactionRowsMax: settings.redactionRowsMax,
      }),
  });
};

async function open(
  {
    sources,
    removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() })),
    memoryBytesMax = defaultDuckDbSettings.memoryBytesMax,
    redaction = defaultRedactionConfig,
    redactionRowsMax = defaultDuckDbSettings.redactionRowsMax,
  }: HarnessOptions,
  crashed: 'ClickHouse' | 'queries',
): Promise<StorageHarness> {
  const server = await sharedClickHouse();
  const engine = { memoryBytesMax, redaction, redactionRowsMax };
  let queries: ClickHouseQueries | null = null;
  const observations: Observation[] = [];
  const test = await TestClickHouseStorage.open(server, {
    ...(sources === undefined ? {} : { sources }),
    removals,
    settings: { ...patient, freshMs: 0 },
    openQueries: async (side) => {
      queries = await openTestQueries(side, removals, (each) => void observations.push(each), engine);
      return queries;
    },
  });
  const opened = (): ClickHouseQueries => {
    if (queries === null) throw new Error('the storage was opened without queries');
    return queries;
  };
  return {
    get engine() {
      return test.storage;
    },
    clock: test.clock,
    removals,
    deletionsDone: test.deletionsDone,
    get starts() {
      return observations.filter((each) => each.kind === 'engine.started' && each.role === undefined).length;
    },
    seed: async (source, events) => {
      for (let from = 0; from < events.length; from += seedEventsMax) {
        const part = events.slice(from, from + seedEventsMax);
        await test.storage.log.append({ source, events: part, identity: null });
      }
    },
    read: async (source) => await test.read(source),
    idsByArrival: async (source) => (await test.read(source)).map(({ id }) => id),
    age: async () => {},
    runUnheld: async (request, signal) => await opened().queries.runPlanned(request, null, signal),
    restart: async () => await test.restart(),
    crash: async () => {
      if (crashed === 'ClickHouse') return await server.standIn?.restart();
      for (;;) {
        const { engine: process_ } = opened();
        if (process_ !== null) return void process.kill(process_.pid, 'SIGKILL');
        await delay(1);
      }
    },
    close: async () => await test.close(),
  };
}

export const clickhouse = clickhouseEngine('queries');
