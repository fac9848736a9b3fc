import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SelectQueryNode } from 'kysely';
import { Mutex } from '../../core/concurrency/mutex.ts';
import { storeError } from './storeError.ts';
import type { StoreReader } from './storeReader.ts';
import { lockWaitMs, type StoreThread, type ThreadTask } from './storeThread.ts';

/**
 * Connects Kysely to two connections. Selects outside transactions are read at once; the store's thread does everything
 * else, one transaction after another. Every transaction takes the write lock first (BEGIN IMMEDIATE), because a read
 * that turned into a write would fail if another process had written meanwhile.
 */
export class StoreDriver implements Driver {
  readonly #reader: StoreReader;
  readonly #thread: StoreThread;
  readonly #writing = new Mutex();

  constructor(reader: StoreReader, thread: StoreThread) {
    this.#reader = reader;
    this.#thread = thread;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<StoreConnection> {
    return new StoreConnection(this.#reader, this.#thread, this.#writing);
  }

  async releaseConnection(connection: StoreConnection): Promise<void> {
    connection.leave();
  }

  async beginTransaction(connection: StoreConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: StoreConnection): Promise<void> {
    await connection.run({ kind: 'commit' });
  }

  async rollbackTransaction(connection: StoreConnection): Promise<void> {
    await connection.run({ kind: 'rollback' });
  }

  /** Waits for the transactions that were begun or requested. */
  async destroy(): Promise<void> {
    const leave = await this.#writing.acquire();
    try {
      const { isStarted } = this.#thread;
      await this.#thread.close();
      this.#reader.close(!isStarted);
    } finally {
      leave();
    }
  }
}

class StoreConnection implements DatabaseConnection {
  readonly #reader: StoreReader;
  readonly #thread: StoreThread;
  readonly #writing: Mutex;
  /** Set while it has the thread for a transaction. */
  #leave: (() => void) | undefined;

  constructor(reader: StoreReader, thread: StoreThread, writing: Mutex) {
    this.#reader = reader;
    this.#thread = thread;
    this.#writing = writing;
  }

  async begin(): Promise<void> {
    const askedMs = performance.now();
    this.#leave = await this.#writing.acquire();
    await this.run({ kind: 'begin', waitMs: waitLeft(askedMs) });
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql } = query;
    const parameters = query.parameters.map(bindable);
    if (this.#leave !== undefined) return await this.run({ kind: 'step', sql, parameters });
    if (SelectQueryNode.is(query.query)) return { rows: (await this.#reader.all(sql, parameters)) as R[] };
    const askedMs = performance.now();
    const leave = await this.#writing.acquire();
    try {
      // Pragmas such as journal_mode cannot run inside a transaction.
      if (/^\s*pragma\b/i.test(sql)) return await this.run({ kind: 'pragma', sql, parameters });
      return await this.run({ kind: 'write', sql, parameters, waitMs: waitLeft(askedMs) });
    } finally {
      leave();
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the store does not stream; its tables are small');
  }

  async run<R>(task: ThreadTask): Promise<QueryResult<R>> {
    try {
      const { rows, changes } = await this.#thread.run(task);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw storeError(error);
    }
  }
}

/** The time left to wait: changes queued behind a waiting one have already waited for the same process. */
function waitLeft(askedMs: number): number {
  return Math.max(0, Math.round(lockWaitMs - (performance.now() - askedMs)));
}

/** Checks a value before it is bound, because libsql ends the process on a boolean. */
function bindable(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`a value of type ${typeof value} cannot be stored; use text, a finite number or null`);
}
