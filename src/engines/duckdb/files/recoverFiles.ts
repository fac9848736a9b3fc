import { basename } from 'node:path';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { damageReason, isDamage } from '../damage/fileDamage.ts';
import { sortMarked } from '../damage/quarantinedAtStart.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { ActiveFile } from '../log/activeFile.ts';
import { hasTransaction } from '../log/writeAheadLog.ts';
import type { ActiveContents } from '../process/protocol.ts';
import type { FolderContents } from './eventFilePaths.ts';
import type { EventFileStoreOptions } from './eventFileStore.ts';
import { SealedFile } from './sealedFile.ts';
import { syncPath } from './syncPath.ts';
import { unopenable } from './unopenableFile.ts';

export interface RecoverFilesOptions extends EventFileStoreOptions {
  /** Told of files that may not have been served before (deletionProgress.ts). */
  readonly bringBack: (file: ActiveFile | SealedFile) => Promise<void>;
}

export interface OpenedFiles {
  readonly sealed: readonly SealedFile[];
  /** Oldest first. */
  readonly active: readonly ActiveFile[];
  /** Sealed and active files that are set aside, as far as it is known what they held. */
  readonly damaged: readonly SealedFile[];
  /** Whether a file is set aside of which that is not known. */
  readonly isUnknown: boolean;
}

/**
 * Attaches what the folder and the catalogue agree on and clears away what a crash left: temporary
 * files, a sealed file that was not committed, an active file whose sealed successor was. A file that
 * cannot be opened is named and set aside; the rest is served. Sealed files are not read.
 */
export async function openFiles(
  engine: EngineConnection,
  options: RecoverFilesOptions,
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
  const marked = await sortMarked(engine, options, found, records);
  const damaged = [...marked.damaged];
  const sealed: SealedFile[] = [];
  for (const record of marked.whole) {
    const file = new SealedFile(record, folder.sealedPath(record.number), sources);
    const isOpen = await openSealed(opening, file);
    if (isOpen) sealed.push(file);
    else if (found.active.includes(file.number)) await options.catalogue.remove(file.number);
    else damaged.push(file);
  }
  const merged = new Set(sealed.flatMap((file) => file.mergedFrom));
  const sealedNumbers = new Set([...sealed.map((file) => file.number), ...merged]);
  const active: ActiveFile[] = [];
  for (const number of found.active) {
    // It was set aside just now.
    if (marked.damaged.some((file) => file.number === number)) continue;
    if (dropped.includes(number)) {
      await clear(options, folder.activePath(number), 'its events were removed');
      continue;
    }
    if (sealedNumbers.has(number)) {
      await clear(options, folder.activePath(number), 'its events are sealed');
      continue;
    }
    const file = await openActive(opening, number);
    if (file === null) continue;
    await options.bringBack(file);
    active.push(file);
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
  if (dropped.length > 0) await syncPath(folder.path);
  await options.catalogue.forgetDropped(dropped);
  return { sealed, active, damaged, isUnknown: await isAnyUnknown(options, damaged, dropped) };
}

interface Opening {
  readonly engine: EngineConnection;
  readonly options: RecoverFilesOptions;
  /** Numbers of the sealed files in the folder. */
  readonly isThere: ReadonlySet<number>;
}

async function openSealed({ engine, options, isThere }: Opening, file: SealedFile): Promise<boolean> {
  const name = basename(file.attached.path);
  const mark = async (reason: string, cause?: unknown) => {
    const foundMicros = options.clock.nowMicros();
    await options.catalogue.mark(file.number, { file: name, reason, foundMicros });
    await options.folder.setAside(file.attached.path);
    options.observe({ kind: 'file.damaged', file: name, reason, ...(cause === undefined ? {} : { cause }) });
  };
  if (!isThere.has(file.number)) {
    await mark('it is missing');
    return false;
  }
  try {
    await engine.call('attach', file.attached);
    return true;
  } catch (cause) {
    if (!isDamage(cause)) throw unopenable(file.attached.path, cause);
    await mark(damageReason(cause), cause);
    return false;
  }
}

/** Null where it holds nothing, or is damaged and was set aside. */
async function openActive({ engine, options }: Opening, number: number): Promise<ActiveFile | null> {
  const { folder, layouts, observe } = options;
  const path = folder.activePath(number);
  const alias = `active_${number}`;
  try {
    await engine.call('attach', { alias, path, kind: 'active' });
  } catch (cause) {
    if (!isDamage(cause)) throw unopenable(path, cause);
    await setAsideActive(options, path, cause);
    return null;
  }
  let contents: ActiveContents;
  try {
    contents = (await engine.call('readActive', { alias, tables: layouts })).gives;
  } catch (cause) {
    if (!isDamage(cause)) throw unopenable(path, cause);
    await engine.call('detach', { alias });
    await setAsideActive(options, path, cause);
    return null;
  }
  if (contents.isComplete) {
    options.identities.remember(
      contents.identities.toSorted((a, b) => a[3] - b[3]),
      options.clock.nowMicros(),
    );
    const file = ActiveFile.of(number, path, contents, options.sources);
    // After a crash its log has been replayed into memory, which the bound on its bytes is there for.
    file.bytes = await folder.logBytes(path);
    return file;
  }
  await engine.call('detach', { alias });
  if (await hasTransaction(path)) {
    await setAsideActive(options, path, new Error('the engine passed over its log, whose beginning is damaged'));
    return null;
  }
  await folder.remove(path);
  observe({ kind: 'file.cleaned', file: basename(path), reason: 'its creation was not finished' });
  return null;
}

/** The list of what it held is in the file itself, so that nobody knows what is missing. */
async function setAsideActive({ folder, observe }: EventFileStoreOptions, path: string, cause: unknown): Promise<void> {
  await folder.setAside(path);
  observe({ kind: 'file.damaged', file: basename(path), reason: damageReason(cause), cause });
}

/** Whether an active file is among those that are set aside of which the catalogue knows nothing. */
async function isAnyUnknown(
  { folder }: EventFileStoreOptions,
  known: readonly SealedFile[],
  dropped: readonly number[],
): Promise<boolean> {
  const numbers = new Set([...known.map(({ number }) => number), ...dropped]);
  return (await folder.read()).damaged.some((name) => {
    const number = Number(/^active-(\d+)\./.exec(name)?.[1] ?? Number.NaN);
    return Number.isInteger(number) && !numbers.has(number);
  });
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
