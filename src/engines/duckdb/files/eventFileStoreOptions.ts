import type { Clock } from '../../../core/clock.ts';
import type { Mutex } from '../../../core/concurrency/mutex.ts';
import type { Observe } from '../../../core/observation.ts';
import type { FileManifest } from '../../../ports/fileManifest.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { Source } from '../../../sources/source.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { IdentityMemory } from '../log/identityMemory.ts';
import type { DuckDbSettings } from '../settings.ts';
import type { EventFilePaths } from './eventFilePaths.ts';
import type { FreeSpace } from './freeSpace.ts';
import type { SealedFile } from './sealedFile.ts';
import type { SpaceReserve } from './spaceReserve.ts';
import type { TableLayout } from './tableLayout.ts';

export interface EventFileStoreOptions {
  readonly folder: EventFilePaths;
  readonly manifest: FileManifest;
  readonly identities: IdentityMemory;
  readonly sources: readonly Source[];
  readonly layouts: readonly TableLayout[];
  readonly clock: Clock;
  readonly observe: Observe;
  readonly settings: DuckDbSettings;
  readonly space: FreeSpace;
  readonly reserve: SpaceReserve;
  readonly removals: Removals;
  /** Deletions that were incomplete when the files were opened. */
  readonly openDeletions: readonly EventDeletion[];
  /** Work that must not overlap with commits of events. */
  readonly commits: Mutex;
  /** Records that no segment holds an event of the deletion any more. */
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Records that a segment holds such events again. */
  readonly deletionReopened: (deletion: EventDeletion) => Promise<void>;
}

export interface RecoverFilesOptions extends EventFileStoreOptions {
  /** Called for files that may not have been served before (deletionProgress.ts). */
  readonly bringBack: (file: ActiveFile | SealedFile) => Promise<void>;
}
