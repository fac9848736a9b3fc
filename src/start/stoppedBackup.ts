import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupFile, type BackupReader, eventFileKind } from '../backup/backupContents.ts';
import type { Clock } from '../core/clock.ts';
import { type Randomness, uuidV4 } from '../core/ids.ts';
import { makeOwnFolder } from '../files/ownFolder.ts';
import { copyDatabase } from '../stores/sqlite/copyDatabase.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { SqliteFileManifest } from '../stores/sqlite/sqliteFileManifest.ts';
import { countEvents } from './countEvents.ts';
import { lockFolder } from './folderLock.ts';
import { backupCopiesPath, readStart } from './liveBackup.ts';
import { packageVersion } from './packageInfo.ts';
import { requireDataFolder } from './requireDataFolder.ts';

/**
 * Takes a backup of a data folder that no service runs on. No service can start until it is closed.
 *
 * @throws StartError if a running service owns the folder, if it is not a data folder, or if it is not this user's
 */
export async function takeStoppedBackup(dataDir: string, clock: Clock, randomness: Randomness): Promise<BackupReader> {
  requireDataFolder(dataDir);
  const lock = lockFolder(dataDir, clock.nowMicros());
  const copies = backupCopiesPath(dataDir);
  const release = async () => {
    await rm(copies, { recursive: true, force: true });
    lock.release();
  };
  try {
    await makeOwnFolder(copies);
    const storePath = join(copies, `${uuidV4(randomness)}.sqlite`);
    const events = await copyStore(dataDir, storePath);
    const paths = new Map([['store.sqlite', storePath], ...eventPaths(dataDir, events.numbers)]);
    const listed = [...paths].flatMap(([name, path]): readonly BackupFile[] => {
      const { size, mtimeMs } = statSync(path);
      const kind = eventFileKind(name) ?? 'store';
      return size === 0 ? [] : [{ name, kind, bytes: size, modified_ms: Math.floor(mtimeMs) }];
    });
    // A log whose segment is missing belongs to nothing, and a restore refuses it.
    const segments = new Set(listed.map(({ name }) => name));
    const files = listed.filter(({ kind, name }) => kind !== 'log' || segments.has(name.replace(/\.wal$/, '')));
    const active = [...paths].filter(([name]) => eventFileKind(name) === 'active').map(([, path]) => path);
    return {
      contents: {
        created_at: new Date(clock.nowMicros() / 1000).toISOString(),
        version: packageVersion(),
        events: events.count + (await countEvents(active)),
        files,
      },
      open: async (file) => readStart(paths.get(file.name) ?? '', file.bytes),
      close: release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Copies the store. Returns the numbers of the sealed files, and how many events they hold. */
async function copyStore(dataDir: string, path: string): Promise<{ numbers: readonly number[]; count: number }> {
  await copyDatabase(dataDir, path);
  const database = await openDatabase(dataDir);
  try {
    const records = (await new SqliteFileManifest(database).load()).filter(({ damage }) => damage === undefined);
    return {
      numbers: records.map(({ number }) => number),
      count: records.reduce((sum, { events }) => sum + events, 0),
    };
  } finally {
    await database.destroy();
  }
}

/** Maps the names of event files in the backup to their paths. */
function eventPaths(dataDir: string, sealedNumbers: readonly number[]): readonly (readonly [string, string])[] {
  const folder = join(dataDir, 'events');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const found = names.filter((name) => eventFileKind(name) !== null);
  // A crash came between the commit of these files and their renaming; the next start would rename them.
  const unnamed = sealedNumbers
    .filter((number) => !found.includes(`sealed-${number}.duckdb`) && names.includes(`sealing-${number}.tmp`))
    .map((number) => [`sealed-${number}.duckdb`, join(folder, `sealing-${number}.tmp`)] as const);
  return [...found.map((name) => [name, join(folder, name)] as const), ...unnamed];
}
