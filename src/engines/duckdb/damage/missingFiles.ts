import type { EventFilePaths, FileEntries } from '../files/eventFilePaths.ts';
import type { ActiveFile } from '../log/activeFile.ts';

/**
 * Finds out whether what the engine's process writes to is still what the folder holds under the names of an active file
 * and its log. Where either was removed, or a copy was put in its place, the process goes on writing to what nobody finds
 * after its end.
 */
export class MissingFiles {
  readonly #folder: Pick<EventFilePaths, 'entriesOf'>;
  readonly #seen = new WeakMap<ActiveFile, FileEntries>();

  constructor(folder: Pick<EventFilePaths, 'entriesOf'>) {
    this.#folder = folder;
  }

  /** To be called before a process opens the file, and after one has made it. What is put there later is another one. */
  async learn(file: ActiveFile): Promise<void> {
    const found = await this.#entriesOf(file);
    if (found === null) this.#seen.delete(file);
    else this.#seen.set(file, found);
  }

  /** False where it cannot be told. */
  async has(file: ActiveFile): Promise<boolean> {
    const found = await this.#entriesOf(file);
    if (found === null) return false;
    // What was stored since the file was opened is in its log, which is emptied at a clean stop only.
    if (found.database === null || (found.log === null && file.bytes > 0)) return true;
    const seen = this.#seen.get(file);
    if (seen !== undefined && seen.database !== found.database) return true;
    // A log is made with the first commit.
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
