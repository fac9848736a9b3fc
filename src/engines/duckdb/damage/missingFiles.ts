import type { EventFilePaths, FileEntries } from '../files/eventFilePaths.ts';
import type { ActiveFile } from '../log/activeFile.ts';

/**
 * Finds out whether the files that the engine process writes to are still those in the folder under the names of an
 * active segment and its log. If one was removed or replaced by a copy, the process keeps writing to a file that nobody
 * can find after the process ends.
 */
export class MissingFiles {
  readonly #folder: Pick<EventFilePaths, 'entriesOf'>;
  readonly #seen = new WeakMap<ActiveFile, FileEntries>();

  constructor(folder: Pick<EventFilePaths, 'entriesOf'>) {
    this.#folder = folder;
  }

  /**
   * Call it before a process opens the file, and after a process has created it. A file put there later is a different
   * one.
   */
  async learn(file: ActiveFile): Promise<void> {
    const found = await this.#entriesOf(file);
    if (found === null) this.#seen.delete(file);
    else this.#seen.set(file, found);
  }

  /** False if that is unknown. */
  async has(file: ActiveFile): Promise<boolean> {
    const found = await this.#entriesOf(file);
    if (found === null) return false;
    // Everything stored since the file was opened is in its log, which is emptied only at a clean stop.
    if (found.database === null || (found.log === null && file.bytes > 0)) return true;
    const seen = this.#seen.get(file);
    if (seen !== undefined && seen.database !== found.database) return true;
    // The first commit creates the log.
    if (seen === undefined || seen.log === null) this.#seen.set(file, found);
    return seen !== undefined && seen.log !== null && seen.log !== found.log;
  }

  async #entriesOf(file: ActiveFile): Promise<FileEntries | null> {
    try {
      return await this.#folder.entriesOf(file.attached.path);
    } catch {
      return null;
    }
  }
}
