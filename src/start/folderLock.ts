import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import * as z from 'zod';
import { makeFolder } from '../backup/makeFolder.ts';
import { databasePath } from '../files/databasePath.ts';
import { type FileLock, lockFile } from '../files/fileLock.ts';
import { partOf, replaceFile } from '../files/replaceFile.ts';
import { StartError } from './startError.ts';

/** Who holds a folder. For messages only; the lock does not depend on it. */
const holderSchema = z.object({
  pid: z.number(),
  host: z.string(),
  startedAt: z.string(),
  /** Where it listens, as `http://host:port`; absent until it does. */
  url: z.string().optional(),
});
export type LockHolder = Readonly<z.infer<typeof holderSchema>>;

export interface FolderLock {
  /**
   * False once the path leads to another folder or to none, because the locked folder or its file `lock` was moved or
   * removed. Another service may then own the folder at the path.
   */
  readonly isHeld: boolean;
  /**
   * Records where the owner listens, for those who find the folder in use. False if the disk is full, so that nothing is
   * recorded: call it again later.
   */
  announce(url: string): boolean;
  release(): void;
}

/** The owner of a data folder, as others find it. */
export interface FolderHolder {
  /** For messages: its process, host and start. */
  readonly description: string;
  /** Undefined if it does not listen yet, or is no service. */
  readonly url: string | undefined;
}

const holderName = 'lock-holder.json';

/** Files of the lock in a data folder. A folder with only these files is empty. */
export const lockFileNames: readonly string[] = ['lock', 'lock-journal', holderName, partOf(holderName)];

/**
 * Makes this process the owner of a data folder, and creates the folder if it is missing (mode 0700). Throws a
 * StartError that names the holder if another process owns it (contract, section 8). The lock is that of its file `lock`;
 * `again` as for `lockFile`.
 */
export function lockFolder(dataDir: string, nowMicros: number, again = attempts()): FolderLock {
  try {
    makeFolder(dataDir, 0o700);
  } catch (error) {
    throw new StartError(`The data folder ${dataDir} cannot be created: ${reasonOf(error)}. ${another}`, {
      cause: error,
    });
  }
  try {
    // SQLite would say only that it cannot open a file.
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`The data folder ${dataDir} cannot be used: ${reasonOf(error)}. ${another}`, { cause: error });
  }
  const holderFile = join(dataDir, holderName);
  const file = join(dataDir, 'lock');
  const lock = lockExclusively(file, dataDir, holderFile, again);
  const locked = inodeOf(file);
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date(nowMicros / 1000).toISOString(),
  };
  try {
    writeHolder(holderFile, holder);
  } catch (error) {
    lock.release();
    throw new StartError(`The data folder ${dataDir} cannot be written to: ${reasonOf(error)}.`, { cause: error });
  }
  const isHeld = () => {
    const found = inodeOf(file);
    return found === undefined || locked === undefined || found === locked;
  };
  return {
    get isHeld() {
      return isHeld();
    },
    announce: (url) => !isHeld() || writeHolder(holderFile, { ...holder, url }),
    release: () => {
      if (isHeld()) rmSync(holderFile, { force: true });
      lock.release();
    },
  };
}

/** The owner of a data folder; null if it has none. Changes nothing. */
export function readFolderHolder(dataDir: string): FolderHolder | null {
  const file = join(dataDir, 'lock');
  if (!existsSync(file)) return null;
  const database = new Database(databasePath(file), { timeout: 0 });
  try {
    // A shared lock is refused while another process has the exclusive one.
    database.exec('BEGIN; SELECT count(*) FROM sqlite_schema; COMMIT');
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
    const holder = readHolder(join(dataDir, holderName));
    return { description: describe(holder), url: holder?.url };
  } finally {
    database.close();
  }
}

/** Pauses before each of a few more attempts, then says that there are no more. */
function attempts(): () => boolean {
  let left = 10;
  const pauseMs = 20;
  return () => {
    if (left === 0) return false;
    left -= 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    return true;
  };
}

function lockExclusively(file: string, dataDir: string, holderFile: string, again: () => boolean): FileLock {
  let lock: FileLock | null;
  try {
    lock = lockFile(file, again);
  } catch (error) {
    throw new StartError(`The data folder ${dataDir} cannot be locked: ${reasonOf(error)}.`, { cause: error });
  }
  if (lock !== null) return lock;
  throw new StartError(
    `The data folder ${dataDir} is in use by ${describe(readHolder(holderFile))}. ` +
      'Stop that service, or choose another folder with --data-dir or LOGMILL_DATA_DIR.',
  );
}

/**
 * Not durable, because every start waits for it, and the holder of a lock does not outlive a power failure. On a full disk,
 * removes the old file first, because its space may be enough for the new one. False if it is not: the lock holds
 * without the record, so a service starts there too.
 */
function writeHolder(file: string, holder: LockHolder): boolean {
  const isDurable = false;
  const text = `${JSON.stringify(holder)}\n`;
  try {
    replaceFile(file, text, 0o600, isDurable);
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
  }
  try {
    rmSync(file, { force: true });
    replaceFile(file, text, 0o600, isDurable);
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
    return false;
  }
}

/** Of the disk or of a quota. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Null if there is no such file; undefined if that is unknown. A string, because it can exceed a safe integer. */
function inodeOf(file: string): string | null | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
  }
}

function readHolder(file: string): LockHolder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The holder writes this file just after it takes the lock; until then there is none.
    return undefined;
  }
}

function describe(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another running service';
  return `a running service: process ${holder.pid} on ${holder.host}, started ${holder.startedAt}`;
}

const another = 'Choose another folder with --data-dir or LOGMILL_DATA_DIR.';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to write there',
  EPERM: 'this user has no right to write there',
  EROFS: 'its file system is read-only',
  EEXIST: 'a file has that name',
  ENOTDIR: 'part of the path is a file',
  ENOENT: 'part of the path does not exist',
  ENOSPC: 'its disk is full; free some space',
  SQLITE_FULL: 'its disk is full; free some space',
  SQLITE_READONLY: 'this user may not write its file "lock"',
  SQLITE_NOTADB: 'its file "lock" does not belong to Logmill',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  // SQLite's errors from opening a file have an empty code.
  return Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code || error.message;
}
