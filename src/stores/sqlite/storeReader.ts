import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { isBusy, storeError } from './storeError.ts';

/** Selects that are kept prepared; there are a few dozen different ones. */
const preparedMax = 100;
const waitMs = 5_000;
const retryMs = 5;

/**
 * Reads what is committed, on the thread of who calls and at once: no change keeps it waiting. Only another process that
 * mends the log after a crash, or closes the store as the last one, can; that is waited for without holding up the thread.
 */
export class StoreReader {
  readonly #database: Database.Database;
  /** By their text. SQLite prepares them anew by itself where the tables have changed. */
  readonly #prepared = new LRUCache<string, Database.Statement>({ max: preparedMax });
  /**
   * Statements that gave up for the lock of another process, with their values. Such a one is still "in progress", and as long as
   * it is, the connection stays at the state that its next read sees: nothing that is committed later would ever be read.
   */
  readonly #unfinished = new Map<Database.Statement, readonly unknown[]>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async all(sql: string, parameters: readonly unknown[] = []): Promise<readonly unknown[]> {
    for (let waitedMs = 0; ; waitedMs += retryMs) {
      try {
        return this.#all(sql, parameters);
      } catch (error) {
        if (!isBusy(error) || waitedMs >= waitMs) throw storeError(error);
        await delay(retryMs);
      }
    }
  }

  /** Folds the log into the file where no thread of the store does: a process that was killed may have left one. */
  close(isFolding: boolean): void {
    try {
      if (isFolding) this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // On a full disk, or a file that was damaged: the log stays beside the file, and the next who opens it reads both.
    }
    this.#database.close();
  }

  #all(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    for (const [statement, values] of this.#unfinished) this.#run(statement, values);
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.delete(sql);
    const rows = this.#run(statement, parameters);
    // Kept only when it has ended well.
    this.#prepared.set(sql, statement);
    return rows;
  }

  #run(statement: Database.Statement, parameters: readonly unknown[]): readonly unknown[] {
    this.#unfinished.delete(statement);
    try {
      return statement.all(parameters);
    } catch (error) {
      if (isBusy(error)) this.#unfinished.set(statement, parameters);
      throw error;
    }
  }
}
