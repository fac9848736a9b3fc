import type { Client, Pool, PoolClient } from 'pg';
import type { PostgresAddress } from './postgresAddress.ts';
import { clientConfigOf, defaultPostgresWaits, type PostgresWaits, within } from './postgresClient.ts';
import { breaksConnection, rethrow } from './postgresError.ts';

/** Connections of one node at most, besides the one that listens. */
const connectionsMax = 8;
const idleMs = 60_000;

export interface PostgresRows {
  /** Kysely tells by it whether `rowCount` counts changed rows. */
  readonly command: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE';
  readonly rowCount: number;
  readonly rows: unknown[];
}

/** Other commands, such as BEGIN, change no rows; for them the library's word is as good as SELECT. */
function commandOf(command: string): PostgresRows['command'] {
  switch (command) {
    case 'INSERT':
    case 'UPDATE':
    case 'DELETE':
    case 'MERGE':
      return command;
    default:
      return 'SELECT';
  }
}

/** A connection of the pool, in use. */
export interface PooledConnection {
  query(sql: string, parameters: readonly unknown[], timeoutMs?: number): Promise<PostgresRows>;
  release(): void;
}

/**
 * The connections of a node to the database. A connection that broke, or whose state is not known, is not used again.
 * All calls reject with `service.store_unavailable` while the server cannot be reached, and with `service.store_busy` if
 * another node held a lock for too long.
 */
export class PostgresPool {
  readonly address: PostgresAddress;
  readonly #pool: Pool;
  readonly #connectClient: () => Promise<Client>;
  /** How often a connection broke. Those that were opened before the last time may be broken too, unnoticed. */
  #breaks = 0;
  /** The count at which each connection was opened. */
  readonly #openedAt = new WeakMap<PoolClient, number>();

  private constructor(address: PostgresAddress, pool: Pool, connectClient: () => Promise<Client>) {
    this.address = address;
    this.#pool = pool;
    this.#connectClient = connectClient;
    // The connection was idle and is gone already; the next call makes another one.
    pool.on('error', () => this.#noteBreak());
    pool.on('connect', (client) => {
      this.#openedAt.set(client, this.#breaks);
      // For its whole life: a new connection can break before whoever waits for it has it, and without a listener, that
      // would end the process.
      client.on('error', () => this.#noteBreak());
    });
  }

  /** Loads the library, which a service with an embedded store never needs. Connects with the first call. */
  static async open(address: PostgresAddress, waits: PostgresWaits = defaultPostgresWaits): Promise<PostgresPool> {
    const pg = await import('pg');
    const config = clientConfigOf(address, waits);
    const pool = new pg.Pool({ ...config, max: connectionsMax, idleTimeoutMillis: idleMs });
    return new PostgresPool(address, pool, async () => {
      const client = new pg.Client(config);
      // Whoever uses the connection is told by its calls, or by a listener of its own.
      client.on('error', () => undefined);
      await client.connect();
      return client;
    });
  }

  async connect(): Promise<PooledConnection> {
    for (let discarded = 0; ; discarded++) {
      const client = await this.#pool.connect().catch(rethrow);
      const isNew = this.#openedAt.get(client) === this.#breaks;
      // After as many as there can be, it is new too, and broke as it opened: the call gets its error.
      if (isNew || discarded === connectionsMax) return pooled(client, () => this.#noteBreak());
      // If the server has vanished, each old connection would keep a call waiting before a new one is opened.
      client.release(true);
    }
  }

  /** Runs one statement. `Row` is what the statement selects. `timeoutMs`: how long to wait, if not the usual time. */
  async query<Row>(sql: string, parameters: readonly unknown[] = [], timeoutMs?: number): Promise<readonly Row[]> {
    const connection = await this.connect();
    try {
      return (await connection.query(sql, parameters, timeoutMs)).rows as Row[];
    } finally {
      connection.release();
    }
  }

  /** A connection outside the pool, which the caller ends. Rejects with the error of the library. */
  async connectAlone(): Promise<Client> {
    return await this.#connectClient();
  }

  #noteBreak(): void {
    this.#breaks++;
  }

  /** Waits for connections in use. */
  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** `broke` is called once if the connection breaks. */
function pooled(client: PoolClient, broke: () => void): PooledConnection {
  let isBroken = false;
  // It can also break between two statements.
  const breaks = () => {
    if (!isBroken) broke();
    isBroken = true;
  };
  client.on('error', breaks);
  return {
    query: async (sql, parameters, timeoutMs) => {
      try {
        const limit = timeoutMs === undefined ? {} : within(timeoutMs);
        const { command, rowCount, rows } = await client.query({ text: sql, values: [...parameters], ...limit });
        return { command: commandOf(command), rowCount: rowCount ?? 0, rows };
      } catch (error) {
        if (breaksConnection(error)) breaks();
        return rethrow(error);
      }
    },
    release: () => {
      client.off('error', breaks);
      client.release(isBroken);
    },
  };
}
