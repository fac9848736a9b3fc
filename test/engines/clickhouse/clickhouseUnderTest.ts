import { join } from 'node:path';
import type { ClickHouseStorageOptions } from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import {
  type ClickHouseQueries,
  defaultFetchSettings,
  openQueries,
} from '../../../src/engines/clickhouse/query/openQueries.ts';
import { defaultDuckDbSettings } from '../../../src/engines/duckdb/settings.ts';
import type { EngineUnderTest, HarnessOptions, StorageHarness } from '../../../src/ports/storageHarness.contract.ts';
import { defaultRedactionConfig } from '../../../src/redact/redactionConfig.ts';
import type { TestClickHouse } from '../../clickhouse/startClickHouse.ts';
import { TestClickHouseStorage } from './testClickHouseStorage.ts';

/** Events per batch when the harness stores them. */
const seedEventsMax = 5_000;
/** A busy machine must not make the storage give up. */
const settings = { insertMs: 60_000, commitMs: 240_000, freshMs: 0 };

/**
 * The engine for the suites, on a ClickHouse that the test file starts and ends. `crashed` is the process that the
 * harness kills: that of ClickHouse, or the one that answers queries over what ClickHouse sends.
 */
export function clickhouseUnderTest(
  clickhouse: () => TestClickHouse,
  crashed: 'ClickHouse' | 'queries',
): EngineUnderTest {
  return {
    name: 'ClickHouse',
    states: {
      isDurable: true,
      findsDamage: false,
      isRowsScannedExact: false,
      barrier: true,
      snapshot: false,
      seals: false,
      crashes: true,
    },
    open: async (options: HarnessOptions = {}) => await open(clickhouse(), crashed, options),
  };
}

async function open(
  clickhouse: TestClickHouse,
  crashed: 'ClickHouse' | 'queries',
  {
    sources,
    removals,
    memoryBytesMax = defaultDuckDbSettings.memoryBytesMax,
    redaction = defaultRedactionConfig,
    redactionRowsMax = defaultDuckDbSettings.redactionRowsMax,
  }: HarnessOptions,
): Promise<StorageHarness> {
  let rest: ClickHouseQueries | null = null;
  let starts = 0;
  const openRest: ClickHouseStorageOptions['openQueries'] = async (side) => {
    rest = await openQueries({
      ...side,
      removals: test.removals,
      temporaryDir: join(test.folder, 'fetched'),
      fetch: defaultFetchSettings,
      engine: { ...defaultDuckDbSettings, memoryBytesMax, redaction, redactionRowsMax, restartWaitMs: 300_000 },
      observe: (observation) => {
        if (observation.kind === 'engine.started' && observation.role === undefined) starts += 1;
      },
    });
    return rest;
  };
  const opened = () => {
    if (rest === null) throw new Error('the queries are not open');
    return rest;
  };
  const test: TestClickHouseStorage = await TestClickHouseStorage.create(clickhouse, {
    settings,
    openQueries: openRest,
    ...(sources === undefined ? {} : { sources }),
    ...(removals === undefined ? {} : { removals }),
  });
  await test.start();
  return {
    get engine() {
      return test.storage;
    },
    clock: test.clock,
    removals: test.removals,
    deletionsDone: test.deletionsDone,
    get starts() {
      return starts;
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
      if (crashed === 'ClickHouse') return await clickhouse.standIn?.restart();
      const { engine } = opened();
      if (engine !== null) process.kill(engine.pid, 'SIGKILL');
    },
    close: async () => await test.close(),
  };
}
