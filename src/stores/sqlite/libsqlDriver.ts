import { setTimeout as delay } from 'node:timers/promises';
import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SelectQueryNode } from 'kysely';
import Libsql from 'libsql';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../core/errors.ts';

/**
 * Kysely over one libsql connection. Differs from Kysely's own SQLite driver where libsql demands it:
 *
 * - BEGIN, COMMIT and ROLLBACK go through `exec`: a prepared statement that fails because the file is
 *   locked stays "in progress" and blocks every later COMMIT of the connection.
 * - Every write takes the lock first (BEGIN IMMEDIATE), waiting for other processes without holding up
 *   this one; a read that turns into a write would fail at once when another one wrote meanwhile.
 * - Values are checked before they are bound: libsql ends the process on a boolean, as it does when
 *   a closed connection is asked whether it is in a transaction.
 */
export class LibsqlDriver implements Driver {
  readonly #database: Libsql.Database;
  readonly #connection: LibsqlConnection;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(database: Libsql.Database) {
    this.#database = database;
    this.#connection = new LibsqlConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  beginTransaction(): Promise<void> {
    return beginWriting(this.#database);
  }

  async commitTransaction(): Promise<void> {
    try {
      this.#database.exec('commit');
    } catch (error) {
      throw storeError(error);
    }
  }

  async rollbackTransaction(): Promise<void> {
    // Some failures (a full disk) have rolled back already.
    if (isInTransaction(this.#database)) this.#database.exec('rollback');
  }

  /** Lets the transaction that is running end first. */
  async destroy(): Promise<void> {
    await this.acquireConnection();
    foldLog(this.#database);
    this.#database.close();
    await this.releaseConnection();
  }
}

/**
 * Writes the log into the file, so that the file is whole by itself where it is copied or moved alone. SQLite would do so
 * at the end of the last connection, were there no statements that are kept prepared.
 */
function foldLog(database: Libsql.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // On a full disk, or a file that was damaged: the log stays beside the file, and the next who opens it reads both.
  }
}

/** Selects that are kept prepared; there are a few dozen different ones. */
const preparedMax = 100;

class LibsqlConnection implements DatabaseConnection {
  readonly #database: Libsql.Database;
  /** By their text. SQLite prepares them anew by itself where the tables have changed. */
  readonly #prepared = new LRUCache<string, Libsql.Statement>({ max: preparedMax });

  constructor(database: Libsql.Database) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#execute(query);
    } catch (error) {
      throw storeError(error);
    }
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (SelectQueryNode.is(query.query) || isInTransaction(this.#database) || isPragma(query.sql))
      return this.#run(query);
    await beginWriting(this.#database);
    try {
      const result = this.#run<R>(query);
      this.#database.exec('commit');
      return result;
    } catch (error) {
      if (isInTransaction(this.#database)) this.#database.exec('rollback');
      throw error;
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the store does not stream; its tables are small');
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const parameters = query.parameters.map(bindable);
    if (SelectQueryNode.is(query.query)) return { rows: this.#select(query.sql, parameters) as R[] };
    const statement = this.#database.prepare(query.sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  #select(sql: string, parameters: readonly unknown[]): unknown[] {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    // Kept only when it has ended well: one that failed can stay "in progress".
    this.#prepared.delete(sql);
    const rows = statement.all(parameters);
    this.#prepared.set(sql, statement);
    return rows;
  }
}

const lockWaitMs = 5_000;
const lockRetryMs = 5;

/** Takes the write lock. Throws SQLITE_BUSY when another process has kept it for five seconds. */
async function beginWriting(database: Libsql.Database): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += lockRetryMs) {
    try {
      database.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= lockWaitMs) throw storeError(error);
      await delay(lockRetryMs);
    }
  }
}

/** Whether SQLite gave up because another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** The error, or `service.disk_full` where the device has no room for a write. */
function storeError(error: unknown): unknown {
  if (!(error instanceof Libsql.SqliteError) || !error.code.startsWith('SQLITE_FULL')) return error;
  return new ServiceError(
    'service.disk_full',
    'The disk of the service is full, so nothing was changed. Call again later; whoever operates the service must make room.',
    { retryAfterSeconds: diskFullRetrySeconds, cause: error },
  );
}

const diskFullRetrySeconds = 10;

function isInTransaction(database: Libsql.Database): boolean {
  return database.open && database.inTransaction;
}

/** Pragmas such as journal_mode cannot run inside a transaction. */
function isPragma(sql: string): boolean {
  return /^\s*pragma\b/i.test(sql);
}

function bindable(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`a value of type ${typeof value} cannot be stored; use text, a finite number or null`);
}
