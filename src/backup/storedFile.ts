import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupError } from './backupError.ts';
import type { StoredFile } from './backupManifest.ts';
import { sha256Of } from './durableFiles.ts';

const chunkBytes = 2 ** 20;

/**
 * The bytes of a file that the manifest of a backup names, as many as it says. Whoever could write the folder may have
 * put a link or a pipe in its place, which would lead out of the folder or never end.
 *
 * @throws BackupError where it is no regular file of that size, and the system's error where it cannot be read
 */
export async function storedChunks(folder: string, file: StoredFile): Promise<AsyncIterable<Uint8Array>> {
  const path = join(folder, file.path);
  await requireStoredFolder(dirname(path));
  if (!(await lstat(path)).isFile()) throw noFile(path);
  // Without waiting for a writer, should it have become a pipe in between.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const found = await handle.stat();
  if (!found.isFile() || found.size !== file.bytes) {
    await handle.close();
    throw found.isFile() ? damagedFile(path) : noFile(path);
  }
  return handle.createReadStream({ highWaterMark: chunkBytes, start: 0, end: Math.max(0, file.bytes - 1) });
}

/** The SHA-256 of the bytes of such a file, as hex digits. @throws as `storedChunks` */
export async function storedSha256(folder: string, file: StoredFile): Promise<string> {
  return await sha256Of(await storedChunks(folder, file));
}

/** @throws BackupError where a folder of a backup is a link, or no folder */
export async function requireStoredFolder(path: string): Promise<void> {
  if ((await lstat(path)).isDirectory()) return;
  throw new BackupError(`${path} is a link or a file; in a backup it is a folder.`);
}

export function damagedFile(path: string): BackupError {
  return new BackupError(
    `${path} is not what the manifest says: it was changed or damaged after the backup. Use another copy of the backup.`,
  );
}

function noFile(path: string): BackupError {
  return new BackupError(
    `${path} is no regular file, and a backup holds nothing else. Use another copy of the backup.`,
  );
}
