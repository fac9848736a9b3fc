import { basename } from 'node:path';
import { ServiceError } from '../../../core/errors.ts';
import { syncPath } from '../../../files/durableFiles.ts';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { damageReason, isDamage } from '../damage/fileDamage.ts';
import { sortMarked } from '../damage/quarantinedAtStart.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { ActiveFile, attachedActive } from '../log/activeFile.ts';
import { hasTransaction } from '../log/completedTransaction.ts';
import type { ActiveContents } from '../process/protocol.ts';
import type { FolderContents } from './eventFilePaths.ts';
import type { RecoverFilesOptions } from './eventFileStoreOptions.ts';
import { SealedFile } from './sealedFile.ts';
import { unopenable } from './unopenableFile.ts';

export interface OpenedFiles {
  readonly sealed: readonly SealedFile[];
  /** Oldest first. */
  readonly active: readonly ActiveFile[];
  /** Quarantined segments, sealed and active, as far as their contents are known. */
  readonly damaged: readonly SealedFile[];
  /** Whether the contents of a quarantined segment are unknown. */
  readonly isUnknown: boolean;
}

/**
 * Attaches the segments that both the folder and the manifest have, and removes the leftovers of a crash: temporary
 * files, a sealed file that was not committed, an active file whose sealed successor was committed. Files that cannot
 * be opened are reported and quarantined; the others are served. Does not read sealed files.
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
    // The crash came between its commit and its renaming.
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
    else if (found.active.includes(file.number)) await options.manifest.remove(file.number);
    else damaged.push(file);
  }
  const merged = new Set(sealed.flatMap((file) => file.mergedFrom));
  const sealedNumbers = new Set([...sealed.map((file) => file.number), ...merged]);
  const active: ActiveFile[] = [];
  for (const number of found.active) {
    // It has just been quarantined.
    if (marked.damaged.some((file) => file.number === number)) continue;
    if (dropped.includes(number)) {
      await engine.withdraw(attachedActive(number, folder.activePath(number)));
      await clear(options, folder.activePath(number), 'its events were removed');
      continue;
    }
    if (sealedNumbers.has(number)) {
      await engine.withdraw(attachedActive(number, folder.activePath(number)));
      await clear(options, folder.activePath(number), 'its events are sealed');
      continue;
    }
    const file = await openActive(opening, number, found.created.includes(number));
    if (file === null) continue;
    await options.bringBack(file);
    active.push(file);
  }
  for (const number of found.created) await folder.removeCreationMark(number);
  if (found.created.length > 0) await syncPath(folder.path);
  // Only now is it certain that no other process works in the folder, because it would hold the locks.
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
  await forgetDropped(options, dropped);
  return { sealed, active, damaged, isUnknown: await isAnyUnknown(options, damaged, dropped) };
}

/** On a full disk, the records stay until a later start, which clears the files again. */
async function forgetDropped({ manifest }: RecoverFilesOptions, dropped: readonly number[]): Promise<void> {
  try {
    await manifest.forgetDropped(dropped);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'service.disk_full')) throw error;
  }
}

const unfinished = 'its creation was not finished';

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
    await options.manifest.mark(file.number, { file: name, reason, foundMicros });
    await options.folder.quarantine(file.attached.path);
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

/**
 * Null if it is empty, or was quarantined as damaged.
 *
 * @param isMarked whether its creation may not have been finished, so that it can be unreadable without damage
 */
async function openActive({ engine, options }: Opening, number: number, isMarked: boolean): Promise<ActiveFile | null> {
  const { folder, layouts } = options;
  const path = folder.activePath(number);
  const attached = attachedActive(number, path);
  const { alias } = attached;
  try {
    await engine.call('attach', attached);
  } catch (cause) {
    if (!isDamage(cause)) throw unopenable(path, cause);
    if (isMarked && !(await hasTransaction(path))) await clear(options, path, unfinished);
    else await quarantineActive(options, path, cause);
    return null;
  }
  let contents: ActiveContents;
  try {
    contents = (await engine.call('readActive', { alias, tables: layouts })).gives;
  } catch (cause) {
    if (!isDamage(cause)) throw unopenable(path, cause);
    await engine.call('detach', { alias });
    await quarantineActive(options, path, cause);
    return null;
  }
  if (contents.isComplete) {
    options.identities.remember(
      contents.identities.toSorted((a, b) => a[3] - b[3]),
      options.clock.nowMicros(),
    );
    const file = ActiveFile.of(number, path, contents, options.sources);
    // After a crash, its log has been replayed into memory, which the limit on its bytes is for.
    file.bytes = await folder.logBytes(path);
    return file;
  }
  await engine.call('detach', { alias });
  if (await hasTransaction(path)) {
    await quarantineActive(options, path, new Error('the engine ignored its log, because the beginning is damaged'));
    return null;
  }
  await clear(options, path, unfinished);
  return null;
}

/** Only the file itself lists its events, so it is unknown which are missing. */
async function quarantineActive({ folder, observe }: RecoverFilesOptions, path: string, cause: unknown): Promise<void> {
  await folder.quarantine(path);
  observe({ kind: 'file.damaged', file: basename(path), reason: damageReason(cause), cause });
}

/** Whether there is a quarantined active segment that the manifest does not know. */
async function isAnyUnknown(
  { folder }: RecoverFilesOptions,
  known: readonly SealedFile[],
  dropped: readonly number[],
): Promise<boolean> {
  const numbers = new Set([...known.map(({ number }) => number), ...dropped]);
  return (await folder.read()).damaged.some((name) => {
    const number = Number(/^active-(\d+)\./.exec(name)?.[1] ?? Number.NaN);
    return Number.isInteger(number) && !numbers.has(number);
  });
}

/** A sealed file without a record: its events are still in its inputs, or we must not delete it. */
async function clearUnrecorded(options: RecoverFilesOptions, found: FolderContents, number: number): Promise<void> {
  const path = options.folder.sealedPath(number);
  if (found.active.includes(number)) {
    await clear(options, path, 'its sealing was not finished');
    return;
  }
  await options.folder.quarantine(path);
  options.observe({ kind: 'file.damaged', file: basename(path), reason: 'the manifest does not know it' });
}

async function clear(options: RecoverFilesOptions, path: string, reason: string): Promise<void> {
  await options.folder.remove(path);
  options.observe({ kind: 'file.cleaned', file: basename(path), reason });
}
