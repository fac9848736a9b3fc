import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { SqliteError } from 'libsql';
import { databasePath } from '../../files/databasePath.ts';
import { pathOfStore } from './storeFileNames.ts';

interface ThreadStatement {
  readonly sql: string;
  readonly parameters: readonly (string | number | bigint | null)[];
}

/**
 * A task for the thread. `begin`, `step`, `commit` and `rollback` make a transaction; `write` is a transaction by
 * itself; a `pragma` runs outside any. `waitMs`: how long to wait for another process that changes the store.
 */
export type ThreadTask =
  | { readonly kind: 'open' | 'commit' | 'rollback' | 'close' }
  | { readonly kind: 'begin'; readonly waitMs: number }
  | ({ readonly kind: 'step' | 'pragma' } & ThreadStatement)
  | ({ readonly kind: 'write'; readonly waitMs: number } & ThreadStatement);

export interface ThreadResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

interface ThreadAnswer {
  readonly id: number;
  readonly result?: ThreadResult;
  readonly error?: { readonly message: string; readonly code: string; readonly rawCode?: number };
}

/** How long a change waits, from its request, for another process that changes the store. */
export const lockWaitMs = 5_000;

/**
 * The connection that changes the store. SQLite blocks its thread while a statement runs, and while it waits for the
 * device or for the lock of another process. BEGIN, COMMIT and ROLLBACK go through `exec`, because a prepared statement
 * that fails on a locked file stays "in progress" and blocks every later COMMIT of the connection.
 */
const serving = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.library);
const preparedMax = 200;
const prepared = new Map();
let database;

function open() {
  if (database !== undefined) return;
  const opened = new Database(workerData.path, { timeout: workerData.lockWaitMs });
  try {
    useWriteAheadLog(opened);
    opened.exec('pragma synchronous = full; pragma foreign_keys = on');
  } catch (error) {
    opened.close();
    throw error;
  }
  database = opened;
}

// If another process switches at the same time, SQLite ignores the timeout. The mode is then stored in the file.
function useWriteAheadLog(opened) {
  for (let waitedMs = 0; ; waitedMs += 20) {
    try {
      return opened.exec('pragma journal_mode = wal');
    } catch (error) {
      if (!String(error.code).startsWith('SQLITE_BUSY') || waitedMs >= 1000) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

let waitedMs;
function begin({ waitMs }) {
  if (waitedMs !== waitMs) database.exec('pragma busy_timeout = ' + waitMs);
  waitedMs = waitMs;
  database.exec('begin immediate');
}

// A statement is kept only after it succeeded, because a failed one can stay "in progress".
function run({ sql, parameters }) {
  const statement = prepared.get(sql) ?? database.prepare(sql);
  prepared.delete(sql);
  const result = statement.reader
    ? { rows: statement.all(parameters), changes: 0 }
    : { rows: [], changes: statement.run(parameters).changes };
  prepared.set(sql, statement);
  if (prepared.size > preparedMax) prepared.delete(prepared.keys().next().value);
  return result;
}

const tasks = {
  open: () => undefined,
  begin,
  commit: () => database.exec('commit'),
  // Some failures, such as a full disk, have already rolled back.
  rollback: () => database.inTransaction && database.exec('rollback'),
  step: (task) => {
    if (!database.inTransaction) throw new Error('the transaction of this statement has ended');
    return run(task);
  },
  write: (task) => {
    begin(task);
    try {
      const result = run(task);
      database.exec('commit');
      return result;
    } catch (error) {
      if (database.inTransaction) database.exec('rollback');
      throw error;
    }
  },
  pragma: run,
  // Folds the log into the file, so that a copy of the file alone is complete. On a full disk or a damaged file, the
  // log stays next to the file, and the next connection reads both.
  close: () => {
    try {
      database.exec('pragma wal_checkpoint(truncate)');
    } catch {}
    database.close();
  },
};

parentPort.on('message', ({ id, task }) => {
  try {
    if (task.kind !== 'close' || database !== undefined) open();
    const result = database === undefined ? undefined : tasks[task.kind](task);
    parentPort.postMessage({ id, result: result || { rows: [], changes: 0 } });
  } catch (error) {
    parentPort.postMessage({ id, error: { message: error.message, code: String(error.code ?? ''), rawCode: error.rawCode } });
  }
  // The end of the thread finalises its statements and closes the connection.
  if (task.kind === 'close') parentPort.close();
});
`;

/**
 * Runs the tasks that change the store, one after another, on a thread of its own, which the first task starts. Failed
 * tasks reject with libsql's errors. The caller must not mix the tasks of different transactions.
 */
export class StoreThread {
  readonly #path: string;
  readonly #waiting = new Map<number, { resolve(result: ThreadResult): void; reject(error: unknown): void }>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(dataDir: string) {
    this.#path = databasePath(pathOfStore(dataDir));
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  async run(task: ThreadTask): Promise<ThreadResult> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise<ThreadResult>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // An idle thread does not keep the process running.
    worker.ref();
    worker.postMessage({ id, task });
    return await answer;
  }

  /** Ends the thread after all tasks requested before, and closes its connection. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = once(worker, 'exit');
    await this.run({ kind: 'close' });
    worker.ref();
    await ended;
  }

  #start(): Worker {
    const library = createRequire(import.meta.url).resolve('libsql');
    const workerData = { library, path: this.#path, lockWaitMs };
    // Without the options of this process, which may load a compiler.
    const worker = new Worker(serving, { eval: true, execArgv: [], workerData });
    worker.on('message', (answer: ThreadAnswer) => this.#answered(worker, answer));
    // A defect of the thread rejects its tasks; the next task starts a new thread.
    worker.on('error', (error) => this.#gone(worker, error));
    worker.on('exit', () => this.#gone(worker, new Error('the thread of the store has ended')));
    worker.unref();
    return worker;
  }

  #answered(worker: Worker, { id, result, error }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) worker.unref();
    if (error !== undefined) waiting?.reject(errorOf(error));
    else if (result !== undefined) waiting?.resolve(result);
  }

  #gone(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

function errorOf({ message, code, rawCode }: NonNullable<ThreadAnswer['error']>): Error {
  return code === '' ? new Error(message) : new SqliteError(message, code, rawCode);
}
