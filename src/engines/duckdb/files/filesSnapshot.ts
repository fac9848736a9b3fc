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
 * Takes a snapshot of the segments between two commits. A sealed segment never changes. The database file of an active
 * one does not change either, because it is not checkpointed while it receives events (settings.ts), and its log only
 * grows. So the length of the log between two commits is enough, and the files can be read while events arrive.
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

/** Null if there is nothing to copy: the first commit creates the log. */
async function sizeOf(path: string): Promise<Pick<SnapshotPart, 'bytes' | 'modifiedMs'> | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return size === 0 ? null : { bytes: size, modifiedMs: Math.floor(mtimeMs) };
  } catch (error) {
    if (path.endsWith('.wal') && error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Reads the first `bytes` of a file; later bytes of a log belong to later commits. */
function startOf(path: string, bytes: number): Readable {
  return createReadStream(path, { end: bytes - 1, highWaterMark: 2 ** 18 });
}
