import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../files/durableFiles.ts';
import { BackupError } from './backupError.ts';
import type { StoredFile } from './backupManifest.ts';

const chunkBytes = 2 ** 20;

/**
 * Reads a file that the manifest of a backup names, up to the size that it says. Refuses a link or a pipe, which would
 * lead out of the folder or never end.
 *
 * @throws BackupError if it is not a regular file of that size; the system's error if it cannot be read
 */
export async function storedChunks(folder: string, file: StoredFile): Promise<AsyncIterable<Uint8Array>> {
  const path = join(folder, file.path);
  await requireStoredFolder(dirname(path));
  if (!(await lstat(path)).isFile()) throw noFile(path);
  // Do not wait for a writer if the file is a pipe.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const found = await handle.stat();
  if (!found.isFile() || found.size !== file.bytes) {
    await handle.close();
    throw found.isFile() ? damagedFile(path) : noFile(path);
  }
  return handle.createReadStream({ highWaterMark: chunkBytes, start: 0, end: Math.max(0, file.bytes - 1) });
}

/** The SHA-256 of such a file in hex digits. Throws like `storedChunks`. */
export async function storedSha256(folder: string, file: StoredFile): Promise<string> {
  return await sha256Of(await storedChunks(folder, file));
}

/** Throws a BackupError if a folder of a backup is a link or not a folder. */
export async function requireStoredFolder(path: string): Promise<void> {
  if ((await lstat(path)).isDirectory()) return;
  throw new BackupError(`${path} must be a folder, but it is a link or a file. Use another copy of the backup.`);
}

export function damagedFile(path: string): BackupError {
  return new BackupError(
    `${path} differs from the manifest: it was changed or damaged after the backup. Use another copy of the backup.`,
  );
}

function noFile(path: string): BackupError {
  return new BackupError(`${path} must be a regular file. Use another copy of the backup.`);
}
