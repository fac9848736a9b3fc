import { mkdir, readdir, rename, rm, rmdir, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import { BackupError, reasonOf } from './backupError.ts';
import { type BackupManifest, manifestName, readManifest, type StoredFile } from './backupManifest.ts';
import { folderMode, syncFolder, writeStream } from './durableFiles.ts';
import { makeFolder } from './makeFolder.ts';
import { damagedFile, storedChunks, storedSha256 } from './storedFile.ts';

export interface RestoreOptions {
  readonly folder: string;
  /** Missing or empty. */
  readonly dataDir: string;
  readonly randomness: Randomness;
  readonly progress?: (file: StoredFile, index: number, count: number) => void;
}

/**
 * Makes a data folder from a backup. Each file is compared with the manifest while it is copied; the folder gets its
 * name when everything is there and on the device, so that there is a whole one or none.
 *
 * @throws BackupError where a file of the backup is not what the manifest says, or the data folder holds anything.
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { folder, progress } = options;
  const dataDir = resolve(options.dataDir);
  const manifest = await manifestOf(folder);
  await refuseFilled(dataDir);
  makeFolder(dirname(dataDir));
  await refuseWithoutRoom(dirname(dataDir), manifest);
  const suffix = Buffer.from(options.randomness.bytes(4)).toString('hex');
  const unfinished = join(dirname(dataDir), `${basename(dataDir)}.restoring-${suffix}`);
  await mkdir(join(unfinished, 'events'), { recursive: true, mode: folderMode });
  try {
    for (const [index, file] of manifest.files.entries()) {
      progress?.(file, index, manifest.files.length);
      await copy(folder, file, join(unfinished, file.kind === 'store' ? file.name : `events/${file.name}`));
    }
    await syncFolder(join(unfinished, 'events'));
    await syncFolder(unfinished);
    await refuseFilled(dataDir);
    // An empty one is in the way; one that was filled meanwhile is not removed by this.
    await rmdir(dataDir).catch((error: unknown) => {
      if (reasonOf(error) !== 'ENOENT') throw error;
    });
    await rename(unfinished, dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  await syncFolder(dirname(dataDir));
  return manifest;
}

/** Compares every file of a backup with its manifest. @throws BackupError that names the first that is not as it was written. */
export async function checkBackup(
  folder: string,
  progress?: (file: StoredFile, index: number, count: number) => void,
): Promise<BackupManifest> {
  const manifest = await manifestOf(folder);
  for (const [index, file] of manifest.files.entries()) {
    progress?.(file, index, manifest.files.length);
    const path = join(folder, file.path);
    const found = await storedSha256(folder, file).catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
    if (found !== file.sha256) throw damagedFile(path);
  }
  return manifest;
}

async function manifestOf(folder: string): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  if (manifest !== null) return manifest;
  throw new BackupError(
    `${folder} holds no whole backup: there is no ${manifestName} in it. One that was broken off has none.`,
  );
}

async function copy(folder: string, file: StoredFile, target: string): Promise<void> {
  const path = join(folder, file.path);
  const { bytes, sha256 } = await writeStream(target, () => storedChunks(folder, file)).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (bytes !== file.bytes || sha256 !== file.sha256) throw damagedFile(path);
  // A later backup of the restored folder knows by it that the file is the one it has.
  await utimes(target, file.modified_ms / 1000, file.modified_ms / 1000);
}

async function refuseFilled(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((cause: unknown) => {
    if (reasonOf(cause) === 'ENOENT') return [];
    throw new BackupError(`${dataDir} cannot be read (${reasonOf(cause)}).`, { cause });
  });
  if (names.length === 0) return;
  throw new BackupError(
    `${dataDir} is not empty, and a backup is restored only to a folder of its own. Give another --data-dir, or move this one away.`,
  );
}

async function refuseWithoutRoom(parent: string, { files }: BackupManifest): Promise<void> {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(parent);
  if (bavail * bsize >= needed) return;
  throw new BackupError(`The backup needs ${needed} bytes, and the disk of ${parent} has ${bavail * bsize} left.`);
}

function unreadable(path: string, cause: unknown): BackupError {
  if (cause instanceof BackupError) return cause;
  return new BackupError(`${path} of the backup cannot be copied (${reasonOf(cause)}).`, { cause });
}
