import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { SqliteError } from 'libsql';
import { pathOfStore } from './storeFileNames.ts';

interface ThreadStatement {
  readonly sql: string;
  readonly parameters: readonly (string | number | bigint | null)[];
}

/**
 * What the thread is asked to do. `begin`, `step`, `commit` and `rollback` make a transaction; `write` is one by itself; a
 * `pragma` runs outside of any. `waitMs`: how long it waits at most for another process that changes the store.
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

/** How long a change waits for another process that changes the store, from when it is asked for. */
export const lockWaitMs = 5_000;

/**
 * The connection that changes the store. SQLite's calls hold up their thread: while they wait for the lock of another
 * process and for the device, and for as long as a statement runs. BEGIN, COMMIT and ROLLBACK go through `exec`: a prepared
 * statement that fails because the file is locked stays "in progress" and blocks every later COMMIT of the connection.
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

// The switch ignores the timeout while another process makes it too; the mode then sticks to the file.
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

// A statement is kept only when it has ended well: one that failed can stay "in progress".
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
  // Some failures (a full disk) have rolled back already.
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
  // The log goes into the file, so that the file is whole by itself where it is copied or moved alone. Not on a full disk,
  // or of a file that was damaged: the log then stays beside the file, and the next who opens it reads both.
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
  // Its statements are finalised when the thread ends, and with them the connection.
  if (task.kind === 'close') parentPort.close();
});
`;

/**
 * Runs what changes the store, one task after the other, on a thread of its own, which is started by the first. Tasks that
 * fail reject as libsql does. Tasks of different transactions must not be mixed: who calls sees to that.
 */
export class StoreThread {
  readonly #path: string;
  readonly #waiting = new Map<number, { resolve(result: ThreadResult): void; reject(error: unknown): void }>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(dataDir: string) {
    this.#path = pathOfStore(dataDir);
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
    // While nothing is asked of it, the thread keeps no process from ending.
    worker.ref();
    worker.postMessage({ id, task });
    return await answer;
  }

  /** Ends the thread after all that was asked before, and closes its connection. */
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
    // Not the options of this process, which may load a compiler.
    const worker = new Worker(serving, { eval: true, execArgv: [], workerData });
    worker.on('message', (answer: ThreadAnswer) => this.#answered(worker, answer));
    // A defect of the thread: what it was asked is refused, and the next task starts another one.
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
