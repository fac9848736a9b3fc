import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SelectQueryNode } from 'kysely';
import type Database from 'libsql';

/**
 * Kysely over one libsql connection. Differs from Kysely's own SQLite driver where libsql demands it:
 *
 * - BEGIN, COMMIT and ROLLBACK go through `exec`: a prepared statement that fails because the file is
 *   locked stays "in progress" and blocks every later COMMIT of the connection.
 * - Every write takes the lock first (BEGIN IMMEDIATE), so that the wait of `busy_timeout` applies;
 *   a read that turns into a write would fail at once when another process wrote meanwhile.
 * - Values are checked before they are bound: libsql ends the process on a boolean.
 */
export class LibsqlDriver implements Driver {
  readonly #database: Database.Database;
  readonly #connection: LibsqlConnection;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(database: Database.Database) {
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

  async beginTransaction(): Promise<void> {
    this.#database.exec('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  async rollbackTransaction(): Promise<void> {
    // Some failures (a full disk) have rolled back already.
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class LibsqlConnection implements DatabaseConnection {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (SelectQueryNode.is(query.query) || this.#database.inTransaction || isPragma(query.sql)) return this.#run(query);
    this.#database.exec('begin immediate');
    try {
      const result = this.#run<R>(query);
      this.#database.exec('commit');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and nothing here streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the store does not stream; its tables are small');
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.#database.prepare(query.sql);
    const parameters = query.parameters.map(bindable);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
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
