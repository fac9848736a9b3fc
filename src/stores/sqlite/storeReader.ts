import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'libsql';
import { LRUCache } from 'lru-cache';
import { isBusy, storeError } from './storeError.ts';

/** Number of prepared selects to keep; there are a few dozen different ones. */
const preparedMax = 100;
const waitMs = 5_000;
const retryMs = 5;

/**
 * Reads committed data at once, on the caller's thread, without waiting for changes. It waits only for another process
 * that recovers the log after a crash or closes the store as the last one, and does so without blocking the thread.
 */
export class StoreReader {
  readonly #database: Database.Database;
  /** By SQL text. SQLite prepares them again if the tables have changed. */
  readonly #prepared = new LRUCache<string, Database.Statement>({ max: preparedMax });
  /**
   * Statements that gave up because of another process's lock, with their values. Such a statement stays "in progress"
   * and keeps the connection at the state of its next read, so later commits would never be read.
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

  /** Folds the log into the file if no store thread does: a killed process may have left one. */
  close(isFolding: boolean): void {
    try {
      if (isFolding) this.#database.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // On a full disk or a damaged file, the log stays next to the file, and the next connection reads both.
    }
    this.#database.close();
  }

  #all(sql: string, parameters: readonly unknown[]): readonly unknown[] {
    for (const [statement, values] of this.#unfinished) this.#run(statement, values);
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.delete(sql);
    const rows = this.#run(statement, parameters);
    // Kept only after it succeeded.
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
