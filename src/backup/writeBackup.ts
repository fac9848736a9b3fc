import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Randomness } from '../core/ids.ts';
import type { BackupFile, BackupReader } from './backupContents.ts';
import { BackupError, reasonOf } from './backupError.ts';
import { type BackupManifest, manifestName, readManifest, type StoredFile, writeManifest } from './backupManifest.ts';
import { folderMode, syncFolder, writeStream, writeSynced } from './durableFiles.ts';
import { makeFolder } from './makeFolder.ts';
import { requireStoredFolder, storedSha256 } from './storedFile.ts';

export interface WriteBackupOptions {
  readonly reader: BackupReader;
  /** Made where it is missing; empty, or with an earlier backup, which the new one takes the place of. */
  readonly folder: string;
  readonly randomness: Randomness;
  /** Told before each file. */
  readonly progress?: (file: BackupFile, index: number, count: number) => void;
}

export interface WrittenBackup {
  readonly manifest: BackupManifest;
  /** Files and bytes that the folder held already. */
  readonly reusedFiles: number;
  readonly reusedBytes: number;
}

const sealedFolder = 'sealed';
/** There while a backup is being written, and afterwards where that was killed. */
const unfinishedName = 'UNFINISHED.txt';
const unfinishedText = `A backup into this folder was begun and has not come to its end. If there is a ${manifestName}, the files that it names
are the backup before that one, and whole; nothing else in this folder is of any use. "logmill backup" into
it again clears that away.
`;
const ownNames = /^(?:sealed|snapshot-[\w-]+|manifest\.json(?:\.part)?|UNFINISHED\.txt)$/;

/**
 * Writes a state of a data folder into a folder of its own. Sealed files that an earlier backup in it holds whole are
 * kept. The manifest is the switch: until it is in place the folder holds the earlier backup, from then on the new one.
 * Where it fails, what it wrote is removed.
 *
 * @throws BackupError where the folder holds anything else, or the backup was broken off, with what it holds then.
 */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { reader, folder } = options;
  const { contents } = reader;
  makeFolder(folder, folderMode);
  const earlier = await readManifest(folder);
  await refuseForeign(folder);
  const snapshot = snapshotName(contents.created_at, options.randomness);
  const written: string[] = [unfinishedName, `${manifestName}.part`, snapshot];
  try {
    await writeSynced(join(folder, unfinishedName), unfinishedText);
    return await writeFiles(options, earlier, snapshot, written);
  } catch (error) {
    await removeWritten(folder, written);
    throw await brokenOff(error, folder);
  }
}

async function brokenOff(error: unknown, folder: string): Promise<BackupError> {
  const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  const whole = await readManifest(folder).catch(() => null);
  const left = whole === null ? 'no backup' : `the backup of ${whole.created_at} and no later one`;
  return new BackupError(`The backup was broken off: ${why}. ${folder} holds ${left}.`, { cause: error });
}

/** @param written is given what is made in the folder besides, before it is; emptied where that is to stay */
async function writeFiles(
  options: WriteBackupOptions,
  earlier: BackupManifest | null,
  snapshot: string,
  written: string[],
): Promise<WrittenBackup> {
  const { reader, folder, progress } = options;
  const { contents } = reader;
  await mkdir(join(folder, snapshot), { mode: folderMode });
  await mkdir(join(folder, sealedFolder), { recursive: true, mode: folderMode });
  await requireStoredFolder(join(folder, sealedFolder));
  const files: StoredFile[] = [];
  let reusedFiles = 0;
  let reusedBytes = 0;
  for (const [index, file] of contents.files.entries()) {
    progress?.(file, index, contents.files.length);
    const kept = await keptFrom(folder, earlier, file);
    if (kept !== null) {
      reusedFiles++;
      reusedBytes += file.bytes;
    }
    files.push(kept ?? (await take(options, snapshot, file, written)));
  }
  for (const each of [sealedFolder, snapshot]) await syncFolder(join(folder, each));
  await refuseIncomplete(folder, files);
  const manifest: BackupManifest = { product: 'logmill', format: 1, ...contents, files };
  // From here on it may be in place, also where a failure is told.
  written.length = 0;
  await writeManifest(folder, manifest);
  await removeOthers(folder, manifest);
  return { manifest, reusedFiles, reusedBytes };
}

/** The stored file where an earlier backup holds the same one, and it still is what it was. */
async function keptFrom(folder: string, earlier: BackupManifest | null, file: BackupFile): Promise<StoredFile | null> {
  if (file.kind !== 'sealed') return null;
  const stored = earlier?.files.find(
    ({ name, bytes, modified_ms }) => name === file.name && bytes === file.bytes && modified_ms === file.modified_ms,
  );
  if (stored === undefined) return null;
  try {
    return (await storedSha256(folder, stored)) === stored.sha256 ? stored : null;
  } catch {
    // What cannot be read is taken anew.
    return null;
  }
}

async function take(
  { reader, folder, randomness }: WriteBackupOptions,
  snapshot: string,
  file: BackupFile,
  written: string[],
): Promise<StoredFile> {
  // Sealed files of one number can be two, where the folder was restored meanwhile.
  const unique = `${file.name.replace(/\.duckdb$/, '')}-${file.modified_ms}-${randomHex(randomness)}.duckdb`;
  const path = file.kind === 'sealed' ? `${sealedFolder}/${unique}` : `${snapshot}/${file.name}`;
  written.push(path, `${path}.part`);
  const { bytes, sha256 } = await writeStream(join(folder, `${path}.part`), () => reader.open(file));
  if (bytes !== file.bytes) {
    throw new BackupError(`${file.name} arrived with ${bytes} of its ${file.bytes} bytes. Start the backup again.`);
  }
  await rename(join(folder, `${path}.part`), join(folder, path));
  return { ...file, path, sha256 };
}

async function refuseForeign(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find((name) => !ownNames.test(name));
  if (foreign === undefined) return;
  throw new BackupError(
    `${folder} holds ${foreign}, which is of no backup. Give an empty folder, or one with an earlier backup.`,
  );
}

/** Two backups into one folder at the same time clear away what the other one wrote. */
async function refuseIncomplete(folder: string, files: readonly StoredFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    const size = await stat(join(folder, path)).then(
      (found) => found.size,
      (error: unknown) => reasonOf(error),
    );
    if (size === bytes) continue;
    throw new BackupError(`${join(folder, path)} has gone; is another backup being written to the same folder?`);
  }
}

/** What a backup that failed leaves: nothing that could be taken for one. Of another that is being written nothing is touched. */
async function removeWritten(folder: string, written: readonly string[]): Promise<void> {
  await Promise.allSettled(written.map((path) => rm(join(folder, path), { recursive: true, force: true })));
  await rmdir(join(folder, sealedFolder)).catch(() => {
    // It holds files of an earlier backup, or was not made yet.
  });
}

/** Removes what the manifest does not name. What cannot be removed does no harm and goes with the next backup. */
async function removeOthers(folder: string, { files }: BackupManifest): Promise<void> {
  const kept = new Set(files.map(({ path }) => path));
  const snapshots = new Set(files.map(({ path }) => path.split('/')[0]));
  const left = [
    ...(await readdir(join(folder, sealedFolder))).map((name) => `${sealedFolder}/${name}`),
    ...(await readdir(folder)).filter((name) => name !== sealedFolder && !snapshots.has(name)),
  ].filter((path) => !kept.has(path) && basename(path) !== manifestName);
  await Promise.allSettled(left.map((path) => rm(join(folder, path), { recursive: true, force: true })));
}

function snapshotName(createdAt: string, randomness: Randomness): string {
  return `snapshot-${createdAt.replaceAll(/[^0-9A-Za-z]/g, '')}-${randomHex(randomness)}`;
}

function randomHex(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(4)).toString('hex');
}
