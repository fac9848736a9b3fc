import { closeSync, fchmodSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { requireFile } from './readFolderFile.ts';

/**
 * Writes a file, or replaces it with a new one: after a crash it is the old one or the new one. It never writes through a
 * link to another file. A process that has the old file open does not see the new text.
 *
 * @param mode - permissions of the file; without it, those of the old file or of the umask
 * @param isDurable - false for a file that may be lost or cut by a power failure, which saves waiting for the disk
 * @throws FileRefusal if a link, a pipe or a folder has its name, or the system's error
 */
export function replaceFile(path: string, text: string, mode?: number, isDurable = true): void {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old !== undefined) requireFile(old);
  const part = partOf(path);
  // Left by a killed process. If it is a link, only the link is removed.
  rmSync(part, { force: true });
  const file = openSync(part, 'wx', mode ?? 0o666);
  try {
    const kept = mode ?? (old === undefined ? undefined : old.mode & 0o777);
    if (kept !== undefined) fchmodSync(file, kept);
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
    if (isDurable) fsyncSync(file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
}

/** The name of the file that `replaceFile` writes first. */
export const partOf = (path: string): string => `${path}.tmp`;
