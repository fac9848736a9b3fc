import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type BackupFile, type BackupReader, eventFileKind } from '../backup/backupContents.ts';
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { type Randomness, uuidV4 } from '../core/ids.ts';
import { makeOwnFolder } from '../files/ownFolder.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import { copyDatabase } from '../stores/sqlite/copyDatabase.ts';
import { packageVersion } from './packageInfo.ts';

/** Folder of store copies that backups are reading; emptied at every start. */
export function backupCopiesPath(dataDir: string): string {
  return join(dataDir, 'backup-copies');
}

export interface LiveBackupInputs {
  readonly dataDir: string;
  readonly storage: Pick<StorageEngine, 'name' | 'snapshot'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Takes a backup of a running service. Event files are read in place, up to the last commit. The store is copied while
 * no file is replaced, so that its manifest matches the files. Throws `backup.unsupported` if the engine takes no snapshots.
 */
export async function takeLiveBackup(inputs: LiveBackupInputs): Promise<BackupReader> {
  const { clock, randomness, storage } = inputs;
  if (storage.snapshot === undefined) {
    throw new ServiceError(
      'backup.unsupported',
      `The storage engine ${storage.name} cannot take a backup of a running service.`,
    );
  }
  const folder = backupCopiesPath(inputs.dataDir);
  await makeOwnFolder(folder);
  const storePath = join(folder, `${uuidV4(randomness)}.sqlite`);
  const removeCopy = async () => await rm(storePath, { force: true });
  try {
    const snapshot = await storage.snapshot(async () => await copyDatabase(inputs.dataDir, storePath));
    const { size, mtimeMs } = await stat(storePath);
    const store: BackupFile = { name: 'store.sqlite', kind: 'store', bytes: size, modified_ms: Math.floor(mtimeMs) };
    const parts = new Map(snapshot.parts.map((part) => [part.name, part]));
    return {
      contents: {
        created_at: new Date(clock.nowMicros() / 1000).toISOString(),
        version: packageVersion(),
        events: snapshot.events,
        files: [
          store,
          ...snapshot.parts.map(({ name, bytes, modifiedMs }): BackupFile => {
            const kind = eventFileKind(name);
            if (kind === null) throw new Error(`${name} is not an event file`);
            return { name, kind, bytes, modified_ms: modifiedMs };
          }),
        ],
      },
      open: async ({ name, bytes }) => parts.get(name)?.open() ?? readStart(storePath, bytes),
      close: async () => {
        snapshot.release();
        await removeCopy();
      },
    };
  } catch (error) {
    await removeCopy();
    throw error;
  }
}

/** Reads the first `bytes` of a file; later bytes of a write-ahead log belong to later commits. */
export function readStart(path: string, bytes: number): Readable {
  return createReadStream(path, { end: bytes - 1, highWaterMark: 2 ** 18 });
}
