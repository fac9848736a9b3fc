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
  /** Deletions that were incomplete when the segments were opened. */
  readonly openDeletions: readonly EventDeletion[];
  /** Records that no segment holds an event of the deletion any more. */
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Records that a segment holds such events again. */
  readonly deletionReopened: (deletion: EventDeletion) => Promise<void>;
  /** Segments that statements read, including those that are only read to their end. */
  readonly served: () => readonly DataFile[];
  /** Segments in quarantine, as far as their contents are known. */
  readonly damaged: () => readonly DataFile[];
}

/**
 * Tracks the progress of deletions. A deletion is *in force*, and applied by every query, while a served segment holds
 * its events; no other segment ever gets some. It is *open* while any file in the folder holds them, or may.
 */
export class DeletionProgress {
  readonly #options: DeletionProgressOptions;
  #open: readonly EventDeletion[];

  constructor(options: DeletionProgressOptions) {
    this.#options = options;
    this.#open = options.openDeletions;
  }

  /** Adds a deletion that is durable. */
  add(deletion: EventDeletion): void {
    this.#options.removals.add(deletion);
    this.#open = [...this.#open, deletion];
  }

  /**
   * Puts deletions back in force if a file holds their events and was not served when they were settled, for example
   * because it was in quarantine. Await it before the file is served.
   */
  async bringBack(file: DataFile): Promise<void> {
    const { removals, deletionReopened } = this.#options;
    for (const source of file.sources) {
      for (const [project] of file.projectStats(source)) {
        for (const deletion of removals.ofQuarantined.deletionsOf(source, project, file.clearedTo)) {
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

  /** Finds the deletions that are no longer in force, and reports those that are complete. Does not reject. */
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
      observe({ kind: 'warning', message: 'the complete deletions could not be determined', cause });
    }
  }

  /** What each open deletion waits for, by token. */
  async waitsOf(deletions: readonly EventDeletion[]): Promise<ReadonlyMap<number, DeletionWait>> {
    if (deletions.length === 0) return new Map();
    const known = new Map(this.#options.damaged().map((file) => [basename(file.attached.path), file]));
    const found = await this.#options.folder.read();
    // A file that could not be moved yet is still in its place.
    const left = [...found.active.map(activeName), ...found.sealed.map(sealedName)].filter((name) => known.has(name));
    const names = [...left, ...found.damaged];
    return new Map(
      deletions.map((deletion) => [
        deletion.token,
        {
          isCarriedOut: !this.#isInForce(deletion),
          quarantined: names.flatMap((name) => quarantinedFile(name, known, deletion) ?? []),
        },
      ]),
    );
  }

  #isInForce({ project, token }: EventDeletion): boolean {
    return this.#options.removals.isInForce(project, token);
  }

  async #complete(deletion: EventDeletion): Promise<void> {
    if (!this.#open.includes(deletion)) return;
    // Before anything is awaited, so that no deletion is reported twice.
    this.#open = this.#open.filter((each) => each !== deletion);
    try {
      await this.#options.deletionDone(deletion);
    } catch (cause) {
      this.#open = [...this.#open, deletion];
      this.#options.observe({ kind: 'warning', message: 'a deletion could not be recorded as complete yet', cause });
    }
  }
}

/** Null if the file holds no event of the deletion. */
function quarantinedFile(
  name: string,
  known: ReadonlyMap<string, DataFile>,
  deletion: EventDeletion,
): QuarantinedPart | null {
  // A second damaged copy of a file has another number in its name.
  const file = known.get(name.replace(/^(\w+-\d+)\.\d+\./, '$1.'));
  if (file !== undefined) return holdsDeleted(file, deletion) ? { name, contents: 'known' } : null;
  const active = /^active-(\d+)\./.exec(name)?.[1];
  if (active !== undefined && Number(active) >= deletion.token) return null;
  return { name, contents: 'unknown' };
}
