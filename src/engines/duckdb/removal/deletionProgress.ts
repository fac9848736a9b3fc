import { basename } from 'node:path';
import type { Observe } from '../../../core/observation.ts';
import type { DeletionWait, EventDeletion, QuarantinedPart } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import { activeName, type EventFilePaths, sealedName } from '../files/eventFilePaths.ts';
import type { SealedFile } from '../files/sealedFile.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import { holdsDeleted } from './removalPlan.ts';

type DataFile = ActiveFile | SealedFile;

export interface DeletionProgressOptions {
  readonly removals: Removals;
  readonly folder: Pick<EventFilePaths, 'read'>;
  readonly observe: Observe;
  /** Those that were not complete when the files were opened. */
  readonly openDeletions: readonly EventDeletion[];
  /** Notes that no event of the deletion is in any file any more. */
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Notes that there are some again. */
  readonly deletionReopened: (deletion: EventDeletion) => Promise<void>;
  /** Files that statements read, those included that they read no more than to their end. */
  readonly served: () => readonly DataFile[];
  /** Files that are set aside, as far as it is known what they held. */
  readonly damaged: () => readonly DataFile[];
}

/**
 * How far deletions are carried out. One is *in force*, and asked by every query, while a file that is served holds
 * events of it: no other file ever gets some. It is *open* while any file in the folder does, or may do.
 */
export class DeletionProgress {
  readonly #options: DeletionProgressOptions;
  #open: readonly EventDeletion[];

  constructor(options: DeletionProgressOptions) {
    this.#options = options;
    this.#open = options.openDeletions;
  }

  /** Takes up a deletion that is durable. */
  add(deletion: EventDeletion): void {
    this.#options.removals.add(deletion);
    this.#open = [...this.#open, deletion];
  }

  /**
   * Puts deletions in force again of which a file holds events that was not served when they were settled, such as one
   * that was set aside. To be awaited before the file is taken for one that is served.
   */
  async bringBack(file: DataFile): Promise<void> {
    const { removals, deletionReopened } = this.#options;
    for (const source of file.sources) {
      for (const [project] of file.projectStats(source)) {
        for (const deletion of removals.ofSetAside.deletionsOf(source, project, file.clearedTo)) {
          if (!holdsDeleted(file, deletion)) continue;
          if (!this.#open.some(({ token }) => token === deletion.token)) {
            await deletionReopened(deletion);
            this.#open = [...this.#open, deletion];
          }
          removals.add(deletion);
        }
      }
    }
  }

  /** Finds out which deletions are in force no more, and tells of those that are complete. Does not reject. */
  async settle(): Promise<void> {
    const { removals, observe } = this.#options;
    const served = this.#options.served();
    for (const deletion of removals.inForce) {
      if (!served.some((file) => holdsDeleted(file, deletion))) removals.settle(deletion);
    }
    try {
      const carriedOut = this.#open.filter((deletion) => !this.#isInForce(deletion));
      if (carriedOut.length === 0) return;
      const waits = await this.waitsOf(carriedOut);
      for (const deletion of carriedOut) {
        if (waits.get(deletion.token)?.quarantined.length === 0) await this.#complete(deletion);
      }
    } catch (cause) {
      observe({ kind: 'warning', message: 'it could not be found out which deletions are complete', cause });
    }
  }

  /** What open deletions wait for, by token. */
  async waitsOf(deletions: readonly EventDeletion[]): Promise<ReadonlyMap<number, DeletionWait>> {
    if (deletions.length === 0) return new Map();
    const known = new Map(this.#options.damaged().map((file) => [basename(file.attached.path), file]));
    const found = await this.#options.folder.read();
    // One that could not be moved away yet lies where it was.
    const left = [...found.active.map(activeName), ...found.sealed.map(sealedName)].filter((name) => known.has(name));
    const names = [...left, ...found.damaged];
    return new Map(
      deletions.map((deletion) => [
        deletion.token,
        {
          isCarriedOut: !this.#isInForce(deletion),
          quarantined: names.flatMap((name) => setAsideFile(name, known, deletion) ?? []),
        },
      ]),
    );
  }

  #isInForce({ project, token }: EventDeletion): boolean {
    return this.#options.removals.isInForce(project, token);
  }

  async #complete(deletion: EventDeletion): Promise<void> {
    if (!this.#open.includes(deletion)) return;
    // Before anything is awaited, so that none is told of twice.
    this.#open = this.#open.filter((each) => each !== deletion);
    try {
      await this.#options.deletionDone(deletion);
    } catch (cause) {
      this.#open = [...this.#open, deletion];
      this.#options.observe({ kind: 'warning', message: 'a deletion could not be noted as complete yet', cause });
    }
  }
}

/** Null where the file holds no event of the deletion. */
function setAsideFile(
  name: string,
  known: ReadonlyMap<string, DataFile>,
  deletion: EventDeletion,
): QuarantinedPart | null {
  // A second copy of a file that is damaged as well has a further number in its name.
  const file = known.get(name.replace(/^(\w+-\d+)\.\d+\./, '$1.'));
  if (file !== undefined) return holdsDeleted(file, deletion) ? { name, contents: 'known' } : null;
  const active = /^active-(\d+)\./.exec(name)?.[1];
  if (active !== undefined && Number(active) >= deletion.token) return null;
  return { name, contents: 'unknown' };
}
