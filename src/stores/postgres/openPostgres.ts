import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Timer } from '../../core/timer.ts';
import type { StoreSchema } from '../sql/schema.ts';
import { migrate } from './migrate.ts';
import { postgresMigrations } from './migrations/index.ts';
import type { PostgresAddress } from './postgresAddress.ts';
import type { PostgresWaits } from './postgresClient.ts';
import { type ListenerEvents, PostgresListener } from './postgresListener.ts';
import { PostgresPool } from './postgresPool.ts';

/** The store in PostgreSQL, as one node has it open. */
export interface PostgresStore {
  readonly pool: PostgresPool;
  /** The same pool for Kysely. */
  readonly database: Kysely<StoreSchema>;
  /** A listener that does not listen yet: give it every channel, then start it. */
  listener(events: ListenerEvents): PostgresListener;
  /** Waits for statements under way. Close listeners before. */
  close(): Promise<void>;
}

export interface PostgresInputs {
  readonly address: PostgresAddress;
  /** The version of this package, which the schema's history names. */
  readonly release: string;
  readonly timer: Timer;
  readonly waits?: PostgresWaits;
}

/**
 * Connects to PostgreSQL and brings its schema up to date.
 *
 * @throws NewerPostgresStore if a later release excludes this one, `service.store_unavailable` if there is no server, or
 *   the server's error, for example if the user may not create tables
 */
export async function openPostgres({ address, release, timer, waits }: PostgresInputs): Promise<PostgresStore> {
  const pool = await PostgresPool.open(address, waits);
  try {
    await migrate(pool, postgresMigrations, release);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const database = new Kysely<StoreSchema>({ dialect: new PostgresDialect({ pool: forKysely(pool) }) });
  return {
    pool,
    database,
    listener: (events) => new PostgresListener(() => pool.connectAlone(), timer, events),
    close: async () => {
      await database.destroy();
      await pool.end();
    },
  };
}

function forKysely(pool: PostgresPool) {
  return {
    connect: async (): Promise<PostgresPoolClient> => {
      const connection = await pool.connect();
      const query = (sql: string, parameters: readonly unknown[]) => connection.query(sql, parameters);
      // The other form of the type takes cursors, which Kysely asks for only where it streams.
      return { query: query as PostgresPoolClient['query'], release: () => connection.release() };
    },
    // Kysely ends a pool only if it was used, so the store ends it.
    end: async () => undefined,
  };
}
