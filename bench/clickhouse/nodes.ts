import { join } from 'node:path';
import { systemTimer } from '../../src/core/timer.ts';
import { openPostgres } from '../../src/stores/postgres/openPostgres.ts';
import { parsePostgresAddress } from '../../src/stores/postgres/postgresAddress.ts';
import type { StoreDatabase } from '../../src/stores/sql/schema.ts';
import { SqlCommitLedger } from '../../src/stores/sql/sqlCommitLedger.ts';
import { openDatabase } from '../../src/stores/sqlite/database.ts';
import { BenchedService } from '../benchedService.ts';
import { machineNow } from '../suite/shiftedClock.mjs';
import { benchUser, type LoadedClickHouse } from './loadedClickHouse.ts';

/** A new store must know of the events that are in ClickHouse already: it shows none with an arrival number from its end on. */
async function knowEvents(database: StoreDatabase, { end }: LoadedClickHouse): Promise<void> {
  await new SqlCommitLedger(database).skip(end - 1);
}

/** Makes a data folder whose store knows of the loaded events. */
export async function prepareFolder(dataDir: string, loaded: LoadedClickHouse): Promise<void> {
  const database = await openDatabase(dataDir);
  await knowEvents(database, loaded);
  await database.destroy();
}

/** Makes the schema in an empty PostgreSQL, and a store that knows of the loaded events. */
export async function preparePostgres(url: string, release: string, loaded: LoadedClickHouse): Promise<void> {
  const store = await openPostgres({ address: parsePostgresAddress(url), release, timer: systemTimer });
  await knowEvents(store.database, loaded);
  await store.close();
}

/** Starts a node with the clock of this process. `given` are additional environment variables. */
export async function startNode(
  dataDir: string,
  clickhouseUrl: string,
  given: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Promise<BenchedService> {
  const environment = {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, '..', 'suite', 'shiftedClock.mjs')}`,
    BENCH_CLOCK_OFFSET_MS: String(Date.now() - machineNow()),
    // A busy machine makes calls slow; do not log that.
    LOGMILL_SLOW_QUERY_MS: '60000',
    LOGMILL_EVENTS: 'clickhouse',
    LOGMILL_CLICKHOUSE_URL: clickhouseUrl,
    LOGMILL_CLICKHOUSE_USER: benchUser.name,
    LOGMILL_CLICKHOUSE_PASSWORD: benchUser.password,
    LOGMILL_CLICKHOUSE_READER_USER: benchUser.name,
    LOGMILL_CLICKHOUSE_READER_PASSWORD: benchUser.password,
    ...given,
  };
  return await BenchedService.start(dataDir, environment, nodeFlags);
}
