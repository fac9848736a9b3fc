import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { Mutex } from '../../../core/concurrency/mutex.ts';
import type { SnapshotPart, StorageSnapshot } from '../../../ports/storageEngine.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { FileLease } from './eventFiles.ts';
import type { FileRegistry } from './fileRegistry.ts';
import type { SealedFile } from './sealedFile.ts';

/**
 * The files between two commits. A sealed file never changes. Of an active one neither does the database file, which
 * is not checkpointed while it receives events (settings.ts), and its log only grows: so the length of the log between
 * two commits is all that has to be known, and the files can be read while events come in.
 */
export async function snapshotFiles(
  registry: FileRegistry<ActiveFile | SealedFile>,
  commits: Mutex,
): Promise<StorageSnapshot> {
  return await commits.run(async () => {
    const lease: FileLease = registry.lease();
    const leased = registry.files;
    try {
      const parts: SnapshotPart[] = [];
      for (const { attached, kind } of leased) {
        const paths = kind === 'active' ? [attached.path, `${attached.path}.wal`] : [attached.path];
        for (const path of paths) {
          const found = await sizeOf(path);
          if (found !== null) parts.push({ name: basename(path), ...found, open: () => startOf(path, found.bytes) });
        }
      }
      return { events: leased.reduce((sum, { events }) => sum + events, 0), parts, release: () => lease.release() };
    } catch (error) {
      lease.release();
      throw error;
    }
  });
}

/** Null where there is nothing to copy: a log begins with the first commit. */
async function sizeOf(path: string): Promise<Pick<SnapshotPart, 'bytes' | 'modifiedMs'> | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return size === 0 ? null : { bytes: size, modifiedMs: Math.floor(mtimeMs) };
  } catch (error) {
    if (path.endsWith('.wal') && error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The first bytes of a file; those of a log that came since are of later commits. */
function startOf(path: string, bytes: number): Readable {
  return createReadStream(path, { end: bytes - 1, highWaterMark: 2 ** 18 });
}
