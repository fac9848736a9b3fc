import { join } from 'node:path';
import { systemTimer } from '../core/timer.ts';
import { openClickHouseStorage } from '../engines/clickhouse/openClickHouseStorage.ts';
import { defaultFetchSettings, openQueries } from '../engines/clickhouse/query/openQueries.ts';
import { defaultClickHouseSettings } from '../engines/clickhouse/settings.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
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
  const { settings, database, shared, stored, clock, randomness, observe, turns, sources, followRemovals } = inputs;
  const { clickhouseUrl, clickhouseColdVolume: volume, clickhouseColdDays: days } = settings;
  if (clickhouseUrl === undefined) throw missing('LOGMILL_CLICKHOUSE_URL', 'LOGMILL_EVENTS=clickhouse');
  if (days > 0 && volume === undefined) throw missing('LOGMILL_CLICKHOUSE_COLD_VOLUME', 'LOGMILL_CLICKHOUSE_COLD_DAYS');
  // It was started ahead for the events of the data folder.
  inputs.standbyEngine?.kill();
  await warnOfOtherEvents(inputs);
  const store = shared?.store.database ?? database;
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
    openQueries: async (side) =>
      await openQueries({
        ...side,
        removals: stored.removals,
        temporaryDir: join(settings.dataDir, 'fetched'),
        fetch: defaultFetchSettings,
        engine: duckDbSettingsOf(settings),
        observe,
        turns,
      }),
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
