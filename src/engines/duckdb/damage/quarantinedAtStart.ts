import { basename } from 'node:path';
import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import type { FolderContents } from '../files/eventFilePaths.ts';
import type { RecoverFilesOptions } from '../files/eventFileStoreOptions.ts';
import { SealedFile } from '../files/sealedFile.ts';
import { unopenable } from '../files/unopenableFile.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { attachedActive } from '../log/activeFile.ts';
import type { AttachedFile } from '../process/protocol.ts';
import { damageReason, isDamage } from './fileDamage.ts';
import { holdsRecord } from './heldContents.ts';

export interface MarkedFiles {
  /** Records of the segments to open. */
  readonly whole: readonly SealedFileRecord[];
  /** Segments that stay in quarantine. */
  readonly damaged: readonly SealedFile[];
}

/**
 * Examines the segments that are marked as damaged. If one is in the events folder, it was put back, or a crash came
 * before it was moved away. It is verified, and served again if it is undamaged.
 */
export async function sortMarked(
  engine: EngineConnection,
  options: RecoverFilesOptions,
  found: FolderContents,
  records: readonly SealedFileRecord[],
): Promise<MarkedFiles> {
  const { folder, manifest, observe, sources } = options;
  const whole: SealedFileRecord[] = [];
  const damaged: SealedFile[] = [];
  for (const record of records) {
    if (record.damage === undefined) {
      whole.push(record);
      continue;
    }
    const { number } = record;
    if (found.active.includes(number) && !record.damage.file.startsWith('active-')) {
      // Its inputs are still there with all of its events. Its name must be free when they are sealed again: after a
      // crash before the new segment has the name, the damaged one would be taken for it.
      if (found.sealed.includes(number)) await folder.quarantine(folder.sealedPath(number));
      await manifest.remove(number);
      continue;
    }
    const isActive = record.damage.file.startsWith('active-');
    const isThere = (isActive ? found.active : found.sealed).includes(number);
    const path = isActive ? folder.activePath(number) : folder.sealedPath(number);
    if (isActive) await engine.withdraw(attachedActive(number, path));
    if (
      isThere &&
      (await isWhole(
        engine,
        options,
        { alias: `checked_${number}`, path, kind: isActive ? 'active' : 'sealed' },
        record,
      ))
    ) {
      if (isActive) await manifest.remove(number);
      else {
        const { damage: _, ...mended } = record;
        // Before the mark is removed, which tells a later start that the segment was not served.
        await options.bringBack(new SealedFile(mended, path, sources));
        await manifest.mark(number, null);
        whole.push(mended);
      }
      observe({ kind: 'file.mended', file: basename(path) });
      continue;
    }
    if (isThere) await folder.quarantine(path);
    damaged.push(new SealedFile(record, path, sources));
  }
  return { whole, damaged };
}

/** Whether everything in the record is there. Rejects if that is unknown for a reason other than damage. */
async function isWhole(
  engine: EngineConnection,
  { observe }: RecoverFilesOptions,
  file: AttachedFile,
  record: SealedFileRecord,
): Promise<boolean> {
  const refused = (reason: string, cause?: unknown) =>
    observe({ kind: 'file.damaged', file: basename(file.path), reason, ...(cause === undefined ? {} : { cause }) });
  try {
    await engine.call('attach', file);
  } catch (error) {
    if (!isDamage(error)) throw unopenable(file.path, error);
    refused(damageReason(error), error);
    return false;
  }
  try {
    const { gives } = await engine.call('verify', { alias: file.alias });
    if (gives.events < record.events) refused(`it holds ${gives.events} events instead of ${record.events}`);
    else if (holdsRecord(record, gives.sources, file.kind === 'active')) return true;
    else refused('it holds other events than the segment that was lost, so it is from another backup or folder');
    return false;
  } catch (error) {
    if (!isDamage(error)) throw unopenable(file.path, error);
    refused(damageReason(error), error);
    return false;
  } finally {
    await engine.call('detach', { alias: file.alias });
  }
}
