import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { storeFileNames } from '../stores/sqlite/storeFileNames.ts';
import { demoFileNames } from './demoState.ts';
import { lockFileNames } from './folderLock.ts';

/** What a service makes in its data folder, besides what is below `treeNames`. */
const fileNames = ['admin-token', ...storeFileNames, ...lockFileNames, ...demoFileNames];
const treeNames = ['events', 'backup-copies'];

/** An entry of a data folder, of those that a service makes. */
export interface DataEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly uid: number;
  /** Whether others than its owner have any right to it. */
  readonly isOpen: boolean;
}

/** Everything that a service has made in its data folder. Looks at names only, and follows no link. */
export function dataEntries(dataDir: string): readonly DataEntry[] {
  return [
    ...fileNames.flatMap((name) => entryOf(join(dataDir, name))),
    ...treeNames.flatMap((name) => below(join(dataDir, name))),
  ];
}

/** Takes the rights of others away from it: everything in there holds events, or what tokens are recognised by. */
export function tightenDataFolder(dataDir: string): void {
  const uid = process.getuid?.();
  for (const { path, kind, isOpen, uid: owner } of dataEntries(dataDir)) {
    // Of another owner, only root may; the doctor tells of it.
    if (!isOpen || (uid !== 0 && owner !== uid)) continue;
    // By its name, and never through a descriptor: to close one of the store's would drop its locks (decision 54).
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
