import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import { systemReason } from '../core/systemReason.ts';
import { folderMode, syncPath, writeStream, writeSynced } from '../files/durableFiles.ts';
import { type FileLock, lockFile } from '../files/fileLock.ts';
import type { BackupFile, BackupReader } from './backupContents.ts';
import { BackupError, codeOf } from './backupError.ts';
import {
  type BackupManifest,
  leftIn,
  manifestName,
  readManifest,
  type StoredFile,
  writeManifest,
} from './backupManifest.ts';
import { makeFolder } from './makeFolder.ts';
import { requireStoredFolder, storedSha256 } from './storedFile.ts';

export interface WriteBackupOptions {
  /** Takes the state to be written. Called once; its caller closes it. */
  readonly take: () => Promise<BackupReader>;
  /** Created if missing. Must be empty or contain an earlier backup, which is replaced. */
  readonly folder: string;
  readonly randomness: Randomness;
  /** Called before each file that is written. */
  readonly progress?: Progress;
  /** Called before each file of an earlier backup that is checked. */
  readonly checking?: Progress;
}

type Progress = (file: BackupFile, index: number, count: number) => void;

/** What the files of a backup are written from. */
interface Writing extends Omit<WriteBackupOptions, 'take' | 'checking'> {
  readonly reader: BackupReader;
  /** Files of the earlier backup that are intact. */
  readonly intact: readonly StoredFile[];
}

export interface WrittenBackup {
  readonly manifest: BackupManifest;
  /** Files and bytes that the folder already contained. */
  readonly reusedFiles: number;
  readonly reusedBytes: number;
}

const sealedFolder = 'sealed';
/** Exists while a backup is being written, and afterwards if that was killed. */
const unfinishedName = 'UNFINISHED.txt';
const unfinishedText = `A backup to this folder was started but did not finish. If there is a ${manifestName}, the files that it lists are the
earlier backup, which is complete. All other files in this folder are useless. The next "logmill backup" to this
folder removes them.
`;
/** Locked while a backup is being written, and never removed. */
const lockName = 'lock';
const ownNames = /^(?:sealed|snapshot-[\w-]+|manifest\.json(?:\.part)?|UNFINISHED\.txt|lock(?:-journal)?)$/;

/**
 * Writes a state of a data folder to a backup folder. Reuses intact sealed segments of an earlier backup there. The folder
 * contains the earlier backup until the new manifest replaces the old one. A failed backup removes what it wrote.
 *
 * @throws BackupError if the folder contains other files, if another backup is being written to it, or if the backup
 * fails; it says what the folder then contains
 */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { folder, randomness } = options;
  // This may take long. The service would release a state that is not read meanwhile.
  const intact = await intactFiles(folder, options.checking);
  const reader = await options.take();
  makeFolder(folder, folderMode);
  await refuseForeign(folder);
  const lock = lockBackup(folder);
  try {
    const earlier = await readManifest(folder);
    const snapshot = snapshotName(reader.contents.created_at, randomness);
    const written: string[] = [unfinishedName, `${manifestName}.part`, snapshot];
    try {
      await writeSynced(join(folder, unfinishedName), unfinishedText);
      return await writeFiles({ ...options, reader, intact: still(intact, earlier) }, snapshot, written);
    } catch (error) {
      await removeWritten(folder, written);
      throw brokenOff(error, folder);
    }
  } finally {
    lock.release();
  }
}

/** Two backups to one folder would each remove what the other one wrote. */
function lockBackup(folder: string): FileLock {
  let lock: FileLock | null;
  try {
    lock = lockFile(join(folder, lockName));
  } catch (cause) {
    throw new BackupError(`${folder} cannot be locked: ${systemReason(cause).replace(/\.$/, '')}.`, { cause });
  }
  if (lock !== null) return lock;
  throw new BackupError(`Another backup is being written to ${folder}. Wait for it to end, or give another folder.`);
}

/** The sealed segments of the backup in a folder that are intact. A file that cannot be read is not; it is copied again. */
async function intactFiles(folder: string, checking?: Progress): Promise<readonly StoredFile[]> {
  const sealed = (await readManifest(folder))?.files.filter(({ kind }) => kind === 'sealed') ?? [];
  const intact: StoredFile[] = [];
  for (const [index, stored] of sealed.entries()) {
    checking?.(stored, index, sealed.length);
    const sha256 = await storedSha256(folder, stored).catch(() => null);
    if (sha256 === stored.sha256) intact.push(stored);
  }
  return intact;
}

/** Those that the folder still has: another backup may have been written meanwhile. */
function still(intact: readonly StoredFile[], earlier: BackupManifest | null): readonly StoredFile[] {
  const now = new Set(earlier?.files.map(({ path }) => path));
  return intact.filter(({ path }) => now.has(path));
}

function brokenOff(error: unknown, folder: string): BackupError {
  const why = systemReason(error).replace(/\.$/, '');
  return new BackupError(`The backup failed: ${why}. ${folder} contains ${leftIn(folder)}.`, { cause: error });
}

/** @param written receives each path before it is created; emptied once the files must stay */
async function writeFiles(writing: Writing, snapshot: string, written: string[]): Promise<WrittenBackup> {
  const { reader, folder, progress } = writing;
  const { contents } = reader;
  await mkdir(join(folder, snapshot), { mode: folderMode });
  await mkdir(join(folder, sealedFolder), { recursive: true, mode: folderMode });
  await requireStoredFolder(join(folder, sealedFolder));
  const files: StoredFile[] = [];
  let reusedFiles = 0;
  let reusedBytes = 0;
  for (const [index, file] of contents.files.entries()) {
    progress?.(file, index, contents.files.length);
    const kept = keptFrom(writing, file);
    if (kept !== undefined) {
      reusedFiles++;
      reusedBytes += file.bytes;
    }
    files.push(kept ?? (await take(writing, snapshot, file, written)));
  }
  for (const each of [sealedFolder, snapshot]) await syncPath(join(folder, each));
  await refuseIncomplete(folder, files);
  const manifest: BackupManifest = { product: 'logmill', format: 1, ...contents, files };
  // From here on, the manifest may be in place even if an error is reported.
  written.length = 0;
  await writeManifest(folder, manifest);
  await removeOthers(folder, manifest);
  return { manifest, reusedFiles, reusedBytes };
}

/** The file in an earlier backup, if it is the same. */
function keptFrom({ intact }: Writing, file: BackupFile): StoredFile | undefined {
  return intact.find(
    ({ name, bytes, modified_ms }) => name === file.name && bytes === file.bytes && modified_ms === file.modified_ms,
  );
}

async function take(
  { reader, folder, randomness }: Writing,
  snapshot: string,
  file: BackupFile,
  written: string[],
): Promise<StoredFile> {
  // After a restore, another sealed segment can have the same number.
  const unique = `${file.name.replace(/\.duckdb$/, '')}-${file.modified_ms}-${randomHex(randomness)}.duckdb`;
  const path = file.kind === 'sealed' ? `${sealedFolder}/${unique}` : `${snapshot}/${file.name}`;
  written.push(path, `${path}.part`);
  const { bytes, sha256 } = await writeStream(join(folder, `${path}.part`), () => reader.open(file));
  if (bytes !== file.bytes) {
    throw new BackupError(`${file.name} arrived with ${bytes} of ${file.bytes} bytes. Start the backup again.`);
  }
  await rename(join(folder, `${path}.part`), join(folder, path));
  return { ...file, path, sha256 };
}

async function refuseForeign(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find((name) => !ownNames.test(name));
  if (foreign === undefined) return;
  throw new BackupError(
    `${folder} contains ${foreign}, which does not belong to a backup. Give an empty folder or one with an earlier backup.`,
  );
}

/** On a file system without locks, detects a second backup to the same folder. */
async function refuseIncomplete(folder: string, files: readonly StoredFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const size = await stat(join(folder, path)).then(
      (found) => found.size,
      (error: unknown) => codeOf(error),
    );
    if (size === bytes) continue;
    throw new BackupError(
      `${join(folder, path)} has disappeared. Check that no other backup writes to the same folder, and start again.`,
    );
  }
}

/** Removes what a failed backup wrote, but nothing of another one that is being written. */
async function removeWritten(folder: string, written: readonly string[]): Promise<void> {
  await Promise.allSettled(written.map((path) => rm(join(folder, path), { recursive: true, force: true })));
  await rmdir(join(folder, sealedFolder)).catch(() => {
    // It holds files of an earlier backup, or was not made yet.
  });
}

/** Removes files that the manifest does not list. The next backup removes those that cannot be removed now. */
async function removeOthers(folder: string, { files }: BackupManifest): Promise<void> {
  const kept = new Set(files.map(({ path }) => path));
  const snapshots = new Set(files.map(({ path }) => path.split('/')[0]));
  const left = [
    ...(await readdir(join(folder, sealedFolder))).map((name) => `${sealedFolder}/${name}`),
    ...(await readdir(folder)).filter((name) => name !== sealedFolder && name !== lockName && !snapshots.has(name)),
  ].filter((path) => !kept.has(path) && basename(path) !== manifestName);
  await Promise.allSettled(left.map((path) => rm(join(folder, path), { recursive: true, force: true })));
}

function snapshotName(createdAt: string, randomness: Randomness): string {
  return `snapshot-${createdAt.replaceAll(/[^0-9A-Za-z]/g, '')}-${randomHex(randomness)}`;
}

function randomHex(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(4)).toString('hex');
}
