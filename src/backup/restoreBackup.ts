import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir, rename, rm, rmdir, statfs, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import { systemReason } from '../core/systemReason.ts';
import { folderMode, syncPath, writeStream } from '../files/durableFiles.ts';
import { BackupError, codeOf } from './backupError.ts';
import { type BackupManifest, manifestName, readManifest, type StoredFile } from './backupManifest.ts';
import { makeFolder } from './makeFolder.ts';
import { damagedFile, storedChunks, storedSha256 } from './storedFile.ts';

export interface RestoreOptions {
  readonly folder: string;
  /** A folder that is empty or does not exist. */
  readonly dataDir: string;
  readonly randomness: Randomness;
  readonly progress?: (file: StoredFile, index: number, count: number) => void;
  /** Called with the folder that becomes the data folder, as soon as it exists. */
  readonly begun?: (unfinished: string) => void;
}

/**
 * Creates a data folder from a backup. Verifies each checksum while copying, and renames the folder once everything is on
 * disk, so that the data folder is complete or missing.
 *
 * @throws BackupError if a file differs from the manifest, or the data folder is not empty
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
  mkdirSync(join(unfinished, 'events'), { recursive: true, mode: folderMode });
  options.begun?.(unfinished);
  try {
    for (const [index, file] of manifest.files.entries()) {
      progress?.(file, index, manifest.files.length);
      await copy(folder, file, join(unfinished, file.kind === 'store' ? file.name : `events/${file.name}`));
    }
    await syncPath(join(unfinished, 'events'));
    await syncPath(unfinished);
    await refuseFilled(dataDir);
    // Makes room for the rename. Fails if the folder has been filled in the meantime.
    await rmdir(dataDir).catch((cause: unknown) => {
      const code = codeOf(cause);
      if (code === 'ENOTDIR' || code === 'EBUSY') throw irreplaceable(dataDir, cause);
      if (code !== 'ENOENT') throw cause;
    });
    await rename(unfinished, dataDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  await syncPath(dirname(dataDir));
  return manifest;
}

/**
 * Ends a restore whose process is about to end, and removes what it has copied. True if the data folder is complete
 * already. Synchronous, because nothing else may happen before the process ends.
 */
export function abandonRestore(unfinished: string, dataDir: string): boolean {
  const aside = `${unfinished}.left`;
  try {
    // From here on, the restore can no longer rename it to the data folder.
    renameSync(unfinished, aside);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return existsSync(join(dataDir, 'store.sqlite'));
  }
  rmSync(aside, { recursive: true, force: true, maxRetries: 3 });
  return false;
}

/** Verifies the checksum of every file of a backup. Throws a BackupError that names the first damaged file. */
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
    `${folder} does not contain a complete backup: ${manifestName} is missing. Give the folder of a backup that has finished.`,
  );
}

async function copy(folder: string, file: StoredFile, target: string): Promise<void> {
  const path = join(folder, file.path);
  const { bytes, sha256 } = await writeStream(target, () => storedChunks(folder, file)).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (bytes !== file.bytes || sha256 !== file.sha256) throw damagedFile(path);
  // A later backup of the restored folder recognises an unchanged file by this time.
  await utimes(target, file.modified_ms / 1000, file.modified_ms / 1000);
}

async function refuseFilled(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return [];
    throw new BackupError(`${dataDir} cannot be read: ${systemReason(cause)}.`, { cause });
  });
  if (names.length === 0) return;
  throw new BackupError(`${dataDir} is not empty. Give an empty or new folder with --data-dir, or move this one away.`);
}

function irreplaceable(dataDir: string, cause: unknown): BackupError {
  return new BackupError(
    `${dataDir} is a link or a mount point, which a restore cannot replace; nothing was restored. Restore to a new folder in it, such as ${join(dataDir, 'restored')}, and start the service on that.`,
    { cause },
  );
}

async function refuseWithoutRoom(parent: string, { files }: BackupManifest): Promise<void> {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(parent);
  if (bavail * bsize >= needed) return;
  throw new BackupError(
    `The backup needs ${needed} bytes, but the disk of ${parent} has ${bavail * bsize} bytes left. Free some space or use another disk.`,
  );
}

function unreadable(path: string, cause: unknown): BackupError {
  if (cause instanceof BackupError) return cause;
  return new BackupError(`${path} of the backup cannot be copied: ${systemReason(cause)}.`, { cause });
}
