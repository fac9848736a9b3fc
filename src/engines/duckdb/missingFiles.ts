import type { ActiveFile } from './activeFile.ts';
import type { EngineConnection } from './engineConnection.ts';
import type { EventFolder, FileEntries } from './eventFolder.ts';

interface Seen extends FileEntries {
  readonly engine: EngineConnection | null;
}

/**
 * Finds out whether what the engine's process writes to is still what the folder holds under the names of an active file
 * and its log. Where either was removed, or a copy was put in its place, the process goes on writing to what nobody finds
 * after its end.
 */
export class MissingFiles {
  readonly #folder: Pick<EventFolder, 'entriesOf'>;
  readonly #seen = new WeakMap<ActiveFile, Seen>();

  constructor(folder: Pick<EventFolder, 'entriesOf'>) {
    this.#folder = folder;
  }

  /** False where it cannot be told. `engine`: the process that has the file open; the next one opens what is there then. */
  async has(file: ActiveFile, engine: EngineConnection | null): Promise<boolean> {
    let found: FileEntries;
    try {
      found = await this.#folder.entriesOf(file.attached.path);
    } catch {
      return false;
    }
    // What was stored since the file was opened is in its log, which is emptied at a clean stop only.
    if (found.database === null || (found.log === null && file.bytes > 0)) return true;
    const seen = this.#seen.get(file);
    if (seen === undefined || seen.engine !== engine) {
      this.#seen.set(file, { ...found, engine });
      return false;
    }
    if (seen.database !== found.database) return true;
    if (seen.log === null) this.#seen.set(file, { ...found, engine });
    return seen.log !== null && seen.log !== found.log;
  }
}
