import { isNewerStore } from '../stores/sqlite/hasStore.ts';
import { refuseForeignFiles, tightenDataFolder } from './dataEntries.ts';
import { claimForDemo, type DemoState, demoDayMicros } from './demoState.ts';
import { duckDbSettingsOf } from './duckDbSettingsOf.ts';
import { type FolderLock, lockFolder } from './folderLock.ts';
import { refuseLostStore } from './refuseLostStore.ts';
import { refuseTakenPort } from './refuseTakenPort.ts';
import type { Settings } from './settings.ts';
import type { StandbyEngine } from './standbyEngine.ts';

/** A data folder that belongs to this process and can be opened. */
export interface ClaimedFolder {
  readonly lock: FolderLock;
  /** How far it is filled with sample data; undefined if it must get none. */
  readonly sample: DemoState | undefined;
}

export interface FolderClaim {
  readonly settings: Settings;
  readonly nowMicros: number;
  /** Whether to add sample data to a folder that is empty or has sample data already. */
  readonly demo: boolean;
  readonly standbyEngine?: StandbyEngine | undefined;
}

/**
 * Locks the data folder and checks it. Then the standby engine begins to open its events, while the program of the service
 * still loads (decision 128). Imports nothing that loads slowly.
 *
 * @throws StartError for problems that the operator can solve; the folder is not locked then
 */
export async function claimFolder({ settings, nowMicros, demo, standbyEngine }: FolderClaim): Promise<ClaimedFolder> {
  const { dataDir, host, port } = settings;
  refuseForeignFiles(dataDir);
  const lock = lockFolder(dataDir, nowMicros);
  try {
    await refuseTakenPort(host, port);
    refuseLostStore(dataDir);
    tightenDataFolder(dataDir);
    // Before anything else is made in the folder, because afterwards it is not empty.
    const sample = demo ? claimForDemo(dataDir, nowMicros - demoDayMicros) : undefined;
    // A folder of a newer version is left alone; opening its store refuses it.
    if (standbyEngine !== undefined && settings.events === 'embedded' && !isNewerStore(dataDir))
      await standbyEngine.openAhead(dataDir, duckDbSettingsOf(settings));
    return { lock, sample };
  } catch (error) {
    lock.release();
    throw error;
  }
}
