import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { storeFileNames } from '../stores/sqlite/storeFileNames.ts';
import { demoFileNames } from './demoState.ts';
import { lockFileNames } from './folderLock.ts';

/** What a service creates in its data folder, apart from the contents of `treeNames`. */
const fileNames = ['admin-token', ...storeFileNames, ...lockFileNames, ...demoFileNames];
const treeNames = ['events', 'backup-copies'];

/** An entry of a data folder that a service creates. */
export interface DataEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly uid: number;
  /** Whether anyone except the owner has any right to it. */
  readonly isOpen: boolean;
}

/** Lists everything that a service has created in its data folder. Looks only at names, and follows no links. */
export function dataEntries(dataDir: string): readonly DataEntry[] {
  return [
    ...fileNames.flatMap((name) => entryOf(join(dataDir, name))),
    ...treeNames.flatMap((name) => below(join(dataDir, name))),
  ];
}

/** Removes the rights of other users: every entry holds events, secrets or hashes of secrets. */
export function tightenDataFolder(dataDir: string): void {
  const uid = process.getuid?.();
  for (const { path, kind, isOpen, uid: owner } of dataEntries(dataDir)) {
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
  return [{ path, kind, uid: found.uid, isOpen: kind !== 'link' && (found.mode & 0o077) !== 0 }];
}
