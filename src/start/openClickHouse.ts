import { join } from 'node:path';
import { systemTimer } from '../core/timer.ts';
import { type ClickHouseStorageOptions, openClickHouseStorage } from '../engines/clickhouse/openClickHouseStorage.ts';
import { noQueries } from '../engines/clickhouse/query/noQueries.ts';
import { defaultFetchSettings, openQueries } from '../engines/clickhouse/query/openQueries.ts';
import { defaultClickHouseSettings } from '../engines/clickhouse/settings.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlCommitLedger } from '../stores/sql/sqlCommitLedger.ts';
import { SqlRemovalRecords } from '../stores/sql/sqlRemovalRecords.ts';
import { SqliteFileManifest } from '../stores/sqlite/sqliteFileManifest.ts';
import { urlsOf } from './clickhouseSettings.ts';
import { duckDbSettingsOf } from './duckDbSettingsOf.ts';
import type { EngineInputs } from './engineInputs.ts';
import type { Settings } from './settings.ts';
import { StartError } from './startError.ts';

/** Opens the engine that keeps events in ClickHouse. Rejects with a StartError if a setting is missing. */
export async function openClickHouse(inputs: EngineInputs): Promise<StorageEngine> {
  const { database, shared } = inputs;
  // It was started ahead for the events of the data folder.
  inputs.standbyEngine?.kill();
  await warnOfOtherEvents(inputs);
  const { settings, stored, observe, turns } = inputs;
  return await open(
    inputs,
    shared?.store.database ?? database,
    async (side) =>
      await openQueries({
        ...side,
        removals: stored.removals,
        temporaryDir: join(settings.dataDir, 'fetched'),
        // The node ends a stream first.
        fetch: { ...defaultFetchSettings, streamTimeoutMs: settings.streamTimeoutMs + 20_000 },
        engine: duckDbSettingsOf(settings),
        observe,
        turns,
      }),
  );
}

/** Opens the events in ClickHouse without queries, so that they can be copied. `database` has their ledger. */
export async function openClickHouseToCopy(inputs: EngineInputs): Promise<StorageEngine> {
  return await open(inputs, inputs.database, noQueries);
}

async function open(
  inputs: EngineInputs,
  store: StoreDatabase,
  openSide: ClickHouseStorageOptions['openQueries'],
): Promise<StorageEngine> {
  const { settings, shared, stored, clock, randomness, observe, turns, sources, followRemovals } = inputs;
  const { clickhouseUrl, clickhouseColdVolume: volume, clickhouseColdDays: days } = settings;
  if (clickhouseUrl === undefined) throw missing('LOGMILL_CLICKHOUSE_URL', 'LOGMILL_EVENTS=clickhouse');
  if (days > 0 && volume === undefined) throw missing('LOGMILL_CLICKHOUSE_COLD_VOLUME', 'LOGMILL_CLICKHOUSE_COLD_DAYS');
  return await openClickHouseStorage({
    ...stored,
    sources,
    urls: urlsOf(clickhouseUrl),
    place: { database: settings.clickhouseDatabase, cluster: settings.clickhouseCluster ?? null },
    ...usersOf(settings),
    settings: {
      ...defaultClickHouseSettings,
      staleMs: settings.storeStaleMax * 1000,
      quorum: settings.clickhouseQuorum,
      storagePolicy: settings.clickhouseStoragePolicy ?? null,
      cold: days > 0 && volume !== undefined ? { days, volume } : null,
    },
    ledger: new SqlCommitLedger(store),
    records: new SqlRemovalRecords(store),
    followRemovals,
    rulesGeneration: shared === null ? undefined : async () => await shared.generation('retention'),
    storeInterruptions: shared?.interruptions,
    openQueries: openSide,
    clock,
    timer: systemTimer,
    randomness,
    turns,
    observe,
  });
}

async function warnOfOtherEvents({ database, observe }: EngineInputs): Promise<void> {
  const segments = await new SqliteFileManifest(database).load();
  const events = segments.reduce((sum, each) => sum + each.events, 0);
  if (events === 0) return;
  observe({
    kind: 'warning',
    message: `the data folder holds ${events} events from LOGMILL_EVENTS=embedded; queries do not read them while events are in ClickHouse`,
  });
}

function usersOf(settings: Settings) {
  const { clickhouseUser, clickhousePassword = '', clickhouseReaderUser, clickhouseReaderPassword = '' } = settings;
  return {
    writer: { name: clickhouseUser, password: clickhousePassword },
    reader: { name: clickhouseReaderUser, password: clickhouseReaderPassword },
  };
}

function missing(name: string, because: string): StartError {
  return new StartError(`${name} must be set with ${because}.`);
}
