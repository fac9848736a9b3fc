import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { SqliteError } from 'libsql';
import { databasePath } from '../../files/databasePath.ts';
import { storeError } from './storeError.ts';
import { pathOfStore } from './storeFileNames.ts';

/** Runs with a connection and a thread of its own, because SQLite blocks its thread for some ms per MB. */
const copying = `
const { workerData } = require('node:worker_threads');
const Database = require(workerData.library);
const database = new Database(workerData.from, { timeout: 5000 });
try {
  database.exec("vacuum into '" + workerData.to.replaceAll("'", "''") + "'");
} finally {
  database.close();
}
// With these secrets, cursors of pages from after the copy would be read where it is restored, and give later events to pages that never
// saw them, because arrival numbers are given again there.
const copy = new Database(workerData.to);
try {
  const hasPages = copy.prepare("select 1 from sqlite_master where name = 'page_secrets'").all().length > 0;
  if (hasPages) copy.exec('delete from page_secrets');
} finally {
  copy.close();
}
`;

/** An error from the thread is no longer an instance of the library's class, only an object with a code. */
function fromThread(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string') return error;
  const code = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'SQLITE_FULL' : error.code;
  if (!code.startsWith('SQLITE_')) return error;
  return storeError(new SqliteError(error instanceof Error ? error.message : `copying the store: ${code}`, code));
}

/**
 * Copies everything committed in the store of a data folder, except the secrets of page cursors, to a separate database
 * file, durably, with mode 0600. The file must not exist yet.
 *
 * @throws like a change of the store: ServiceError `service.disk_full` or `service.store_busy`, or the system's error
 */
export async function copyDatabase(dataDir: string, to: string): Promise<void> {
  try {
    await copy(dataDir, to);
  } catch (error) {
    throw fromThread(error);
  }
}

async function copy(dataDir: string, to: string): Promise<void> {
  // SQLite fills an existing empty file; created here, it is readable by no one else.
  closeSync(openSync(to, 'wx', 0o600));
  const library = createRequire(import.meta.url).resolve('libsql');
  const worker = new Worker(copying, {
    eval: true,
    workerData: { library, from: databasePath(pathOfStore(dataDir)), to: databasePath(to) },
  });
  const [exitCode] = await once(worker, 'exit');
  if (exitCode !== 0) throw new Error(`copying the store ended with exit code ${exitCode}`);
  const file = await open(to, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
