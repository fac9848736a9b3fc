import type { Removals } from '../../../retention/removals.ts';
import type { AttachedFile } from '../process/protocol.ts';
import type { DamagedEventFiles, EventFile, EventFiles, FileLease } from './eventFiles.ts';

interface Entry<File extends EventFile> {
  readonly file: File;
  leases: number;
  /** Set once it is out of the store; called when its last lease ends. */
  onUnused: (() => void) | null;
}

/** The attached segments, and the leases on them. */
export class FileRegistry<File extends EventFile & { readonly attached: AttachedFile }> implements EventFiles {
  readonly removals: Removals;
  readonly damaged: DamagedEventFiles;
  /** Oldest first. */
  #entries: readonly Entry<File>[] = [];
  readonly #retired = new Set<Entry<File>>();
  #revision = 0;

  constructor(removals: Removals, damaged: DamagedEventFiles) {
    this.removals = removals;
    this.damaged = damaged;
  }

  get files(): readonly File[] {
    return this.#entries.map((entry) => entry.file);
  }

  /** Rises whenever `files` changes. */
  get revision(): number {
    return this.#revision;
  }

  /** Files that a new process must attach, including those that only a lease still holds. */
  get attached(): readonly AttachedFile[] {
    return [...this.#retired, ...this.#entries].map((entry) => entry.file.attached);
  }

  lease(): FileLease {
    const entries = this.#entries;
    for (const entry of entries) entry.leases++;
    let isReleased = false;
    return {
      files: entries.map((entry) => entry.file),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const entry of entries) {
          entry.leases--;
          this.#dropUnused(entry);
        }
      },
    };
  }

  add(file: File): void {
    this.#revision++;
    this.#entries = [...this.#entries, { file, leases: 0, onUnused: null }];
  }

  /**
   * Replaces `removed` by `added` for every later lease. Calls `onUnused` for each removed segment when its last lease
   * is released.
   */
  replace(removed: readonly File[], added: File | null, onUnused: (file: File) => void): void {
    this.#revision++;
    const gone = this.#entries.filter((entry) => removed.includes(entry.file));
    const rest = this.#entries.filter((entry) => !gone.includes(entry));
    const place = gone[0] === undefined ? rest.length : this.#entries.indexOf(gone[0]);
    const entry = added === null ? [] : [{ file: added, leases: 0, onUnused: null }];
    this.#entries = [...rest.slice(0, place), ...entry, ...rest.slice(place)];
    for (const old of gone) {
      old.onUnused = () => onUnused(old.file);
      this.#retired.add(old);
      this.#dropUnused(old);
    }
  }

  #dropUnused(entry: Entry<File>): void {
    if (entry.onUnused === null || entry.leases > 0) return;
    this.#retired.delete(entry);
    entry.onUnused();
    entry.onUnused = null;
  }
}
