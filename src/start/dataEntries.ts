import { accessSync, chmodSync, constants, lstatSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { storeFileNames } from '../stores/sqlite/storeFileNames.ts';
import { adminTokenFileNames } from './adminToken.ts';
import { demoFileNames } from './demoState.ts';
import { lockFileNames } from './folderLock.ts';
import { StartError } from './startError.ts';

/** What a service creates in its data folder, apart from the contents of `treeNames`. */
const fileNames = [...adminTokenFileNames, ...storeFileNames, ...lockFileNames, ...demoFileNames];
const treeNames = ['events', 'backup-copies', 'exports'];

/** An entry of a data folder that a service creates. */
export interface DataEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly uid: number;
  /** Whether anyone except the owner has any right to it. */
  readonly isOpen: boolean;
  /** Whether it is a file that has another name elsewhere. */
  readonly isHardLinked: boolean;
}

/** Lists everything that a service has created in its data folder. Looks only at names, and follows no links. */
export function dataEntries(dataDir: string): readonly DataEntry[] {
  return [
    ...fileNames.flatMap((name) => entryOf(join(dataDir, name))),
    ...treeNames.flatMap((name) => below(join(dataDir, name))),
  ];
}

/**
 * Throws a StartError if something else has the name of a file that a service or command writes in the data folder: a link
 * would lead it to write tokens or events elsewhere, and a pipe would stop it. Also if the store has a hard link. Call it
 * before anything opens such a file.
 */
export function refuseForeignFiles(dataDir: string): void {
  try {
    // Whoever opens the folder next says which right is missing.
    accessSync(dataDir, constants.X_OK);
  } catch {
    return;
  }
  for (const entry of fileNames.flatMap((name) => entryOf(join(dataDir, name)))) {
    if (entry.kind !== 'file') throw foreign(entry.path, entry.kind);
    if (isShared(dataDir, entry)) throw shared(entry.path);
  }
}

/**
 * The same below `events`. There, segments that never change may be links, and `events` itself may lead to another disk.
 */
function refuseForeign(dataDir: string, entry: DataEntry): void {
  const { path, kind } = entry;
  if (isShared(dataDir, entry)) throw shared(path);
  const name = relative(dataDir, path);
  if (
    kind === 'file' ||
    kind === 'folder' ||
    !name.startsWith('events/') ||
    /^sealed-\d+\.duckdb$/.test(basename(name))
  )
    return;
  throw foreign(path, kind);
}

/**
 * Whether a file that is changed in place also belongs to another folder, such as a copy made with "cp -al". Changes and
 * deletions in one folder would then apply to the other one. Segments that never change may have such links.
 */
export function isShared(dataDir: string, { path, isHardLinked }: DataEntry): boolean {
  const name = relative(dataDir, path);
  return isHardLinked && (storeFileNames.includes(name) || /^events\/active-\d+\.duckdb(?:\.wal)?$/.test(name));
}

function shared(path: string): StartError {
  return new StartError(
    `${path} is also a file of another folder (a hard link), so changes here would change that folder too. ` +
      'Give this folder a copy of its own: copy the file to a new name, and rename the copy to the old name.',
  );
}

function foreign(path: string, kind: DataEntry['kind']): StartError {
  const what = { file: 'a file', folder: 'a folder', link: 'a symbolic link', other: 'a pipe, socket or device' }[kind];
  return new StartError(
    `${path} is ${what}, but Logmill writes a file of that name and follows no links there. Remove it, or put the file itself in its place.`,
  );
}

/** Removes the rights of other users: every entry holds events, secrets or hashes of secrets. */
export function tightenDataFolder(dataDir: string): void {
  const uid = process.getuid?.();
  for (const entry of dataEntries(dataDir)) {
    refuseForeign(dataDir, entry);
    const { path, kind, isOpen, uid: owner } = entry;
    // Only root may change files of another owner; the doctor reports them.
    if (!isOpen || (uid !== 0 && owner !== uid)) continue;
    // By path, never through a descriptor: closing a descriptor of the store would drop its locks (decision 54).
    if (kind === 'file') chmodSync(path, 0o600);
    else if (kind === 'folder') chmodSync(path, 0o700);
  }
}

function below(path: string): readonly DataEntry[] {
  const [entry] = entryOf(path);
  if (entry === undefined) return [];
  if (entry.kind !== 'folder') return [entry];
  return [entry, ...readdirSync(path).flatMap((name) => below(join(path, name)))];
}

function entryOf(path: string): readonly DataEntry[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
  return [
    {
      path,
      kind,
      uid: found.uid,
      isOpen: kind !== 'link' && (found.mode & 0o077) !== 0,
      isHardLinked: kind === 'file' && found.nlink > 1,
    },
  ];
}
