import { basename } from 'node:path';
import type { SealedFileRecord } from '../ports/fileCatalogue.ts';
import { ActiveFile } from './activeFile.ts';
import type { EngineConnection } from './engineConnection.ts';
import { type EventFileStoreOptions, isDamage } from './eventFileStore.ts';
import type { FolderContents } from './eventFolder.ts';
import { isNewerFile, NewerEventFile } from './newerEventFile.ts';
import type { AttachedFile } from './process/protocol.ts';
import { SealedFile } from './sealedFile.ts';

export interface OpenedFiles {
  readonly sealed: readonly SealedFile[];
  /** Oldest first. */
  readonly active: readonly ActiveFile[];
}

/**
 * Attaches what the folder and the catalogue agree on and clears away what a crash left: temporary
 * files, a sealed file that was not committed, an active file whose sealed successor was. A file that
 * cannot be opened is named and set aside; the rest is served. Sealed files are not read.
 */
export async function openFiles(
  engine: EngineConnection,
  options: EventFileStoreOptions,
  found: FolderContents,
  records: readonly SealedFileRecord[],
  dropped: readonly number[] = [],
): Promise<OpenedFiles> {
  const { folder, sources } = options;
  const isThere = new Set(found.sealed);
  for (const { number } of records) {
    if (isThere.has(number) || !found.temporary.includes(number)) continue;
    // The crash came between its commit and its name.
    await folder.publish(number);
    isThere.add(number);
  }
  const opening = { engine, options, isThere };
  const sealed: SealedFile[] = [];
  for (const record of records) {
    const file = new SealedFile(record, folder.sealedPath(record.number), sources);
    if (await openSealed(opening, file)) sealed.push(file);
  }
  const merged = new Set(sealed.flatMap((file) => file.mergedFrom));
  const sealedNumbers = new Set([...sealed.map((file) => file.number), ...merged]);
  const active: ActiveFile[] = [];
  for (const number of found.active) {
    if (dropped.includes(number)) {
      await clear(options, folder.activePath(number), 'its events were removed');
      continue;
    }
    if (sealedNumbers.has(number)) {
      await clear(options, folder.activePath(number), 'its events are sealed');
      continue;
    }
    const file = await openActive(opening, number);
    if (file !== null) active.push(file);
  }
  // Only now is it certain that no other process still works in the folder: it would hold their locks.
  const recorded = new Set(records.map((record) => record.number));
  for (const number of found.temporary) {
    await folder.removeTemporary(number);
    if (recorded.has(number)) continue;
    options.observe({
      kind: 'file.cleaned',
      file: basename(folder.temporaryPath(number)),
      reason: 'an unfinished rewrite',
    });
  }
  for (const number of found.sealed) {
    if (recorded.has(number)) continue;
    if (dropped.includes(number)) await clear(options, folder.sealedPath(number), 'its events were removed');
    else if (merged.has(number)) await clear(options, folder.sealedPath(number), 'its events are merged');
    else await clearUnrecorded(options, found, number);
  }
  await options.catalogue.forgetDropped(dropped);
  return { sealed, active };
}

interface Opening {
  readonly engine: EngineConnection;
  readonly options: EventFileStoreOptions;
  /** Numbers of the sealed files in the folder. */
  readonly isThere: ReadonlySet<number>;
}

async function openSealed({ engine, options, isThere }: Opening, file: SealedFile): Promise<boolean> {
  if (!isThere.has(file.number)) {
    options.observe({ kind: 'file.damaged', file: basename(file.attached.path), reason: 'it is missing' });
    return false;
  }
  return await attach(engine, options, file.attached);
}

async function openActive({ engine, options }: Opening, number: number): Promise<ActiveFile | null> {
  const { folder, layouts } = options;
  const path = folder.activePath(number);
  const alias = `active_${number}`;
  if (!(await attach(engine, options, { alias, path, kind: 'active' }))) return null;
  const { gives } = await engine.call('readActive', { alias, tables: layouts });
  if (gives.isComplete) {
    options.identities.remember(
      gives.identities.toSorted((a, b) => a[3] - b[3]),
      options.clock.nowMicros(),
    );
    const file = ActiveFile.of(number, path, gives, options.sources);
    // After a crash its log has been replayed into memory, which the bound on its bytes is there for.
    file.bytes = await folder.logBytes(path);
    return file;
  }
  await engine.call('detach', { alias });
  await clear(options, path, 'its creation was not finished');
  return null;
}

async function attach(engine: EngineConnection, options: EventFileStoreOptions, file: AttachedFile): Promise<boolean> {
  try {
    await engine.call('attach', file);
    return true;
  } catch (cause) {
    if (isNewerFile(cause)) throw new NewerEventFile(file.path, cause);
    if (!isDamage(cause)) throw new Error(`${file.path} cannot be opened`, { cause });
    await options.folder.setAside(file.path);
    options.observe({ kind: 'file.damaged', file: basename(file.path), reason: 'it could not be opened', cause });
    return false;
  }
}

/** A sealed file without a record: the events are still in what it was written from, or it is not ours to delete. */
async function clearUnrecorded(options: EventFileStoreOptions, found: FolderContents, number: number): Promise<void> {
  const path = options.folder.sealedPath(number);
  if (found.active.includes(number)) {
    await clear(options, path, 'its sealing was not finished');
    return;
  }
  await options.folder.setAside(path);
  options.observe({ kind: 'file.damaged', file: basename(path), reason: 'the catalogue does not know it' });
}

async function clear(options: EventFileStoreOptions, path: string, reason: string): Promise<void> {
  await options.folder.remove(path);
  options.observe({ kind: 'file.cleaned', file: basename(path), reason });
}
