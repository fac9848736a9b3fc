import type { DamagedEventFiles, EventFile } from '../files/eventFiles.ts';
import { EngineDied } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import { damageReason, isDamage } from './fileDamage.ts';

/** Ends of the engine after which a file is not read again: it may be what ends the engine, and every query with it. */
const deathsMax = 3;

export interface QuarantineOptions<File> {
  readonly supervisor: Pick<EngineSupervisor, 'ready'>;
  /** Takes a file out of what is served, durably. False where it is not among the files any more. */
  readonly setAside: (file: File, reason: string, cause: unknown) => Promise<boolean>;
  /** The file itself, of what a run sees of it; null where it is not among the files any more. */
  readonly fileOf: (alias: string) => File | null;
  /** Told where it cannot be found out whether a file is damaged. */
  readonly warn: (message: string, cause: unknown) => void;
}

/**
 * Knows which files are set aside because they are damaged, and finds out which are. A file is set aside only when it
 * was read through twice and failed both times by its own bytes: a lack of memory, an interrupt or a disk that
 * stumbled once is no damage.
 */
export class Quarantine<File extends EventFile> implements DamagedEventFiles {
  readonly #options: QuarantineOptions<File>;
  #files: readonly File[] = [];
  #isUnknown = false;
  /** Files that are being looked at, or being set aside. */
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(options: QuarantineOptions<File>) {
    this.#options = options;
  }

  get files(): readonly File[] {
    return this.#files;
  }

  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** Takes over what was found when the files were opened. */
  adopt(files: readonly File[], isUnknown: boolean): void {
    this.#files = [...this.#files, ...files];
    this.#isUnknown ||= isUnknown;
  }

  async examine(files: readonly EventFile[]): Promise<boolean> {
    let isAny = false;
    // One after another: each reads a whole file.
    for (const { alias } of files) isAny = (await this.#once(alias, () => this.#examineOne(alias))) || isAny;
    return isAny;
  }

  /** Sets a file aside of which it is known that it is damaged. Does not reject. */
  async found(file: File, cause: unknown): Promise<boolean> {
    return await this.#once(file.alias, () => this.#putAside(file, cause));
  }

  async #once(alias: string, work: () => Promise<boolean>): Promise<boolean> {
    const known = this.#pending.get(alias);
    if (known !== undefined) return await known;
    const pending = work().finally(() => this.#pending.delete(alias));
    this.#pending.set(alias, pending);
    return await pending;
  }

  async #examineOne(alias: string): Promise<boolean> {
    const file = this.#options.fileOf(alias);
    // Taken out since the statement began, by whatever: without it the statement can be run again.
    if (file === null) return true;
    if ((await this.#readThrough(alias)) === null) return false;
    const cause = await this.#readThrough(alias);
    return cause === null ? false : await this.#putAside(file, cause);
  }

  /** What fails because of the file's own bytes when it is read; null where it is whole, or where that is not known. */
  async #readThrough(alias: string): Promise<unknown> {
    for (let deaths = 0; ; ) {
      try {
        const engine = await this.#options.supervisor.ready();
        await engine.call('verify', { alias });
        return null;
      } catch (error) {
        if (error instanceof EngineDied && ++deaths < deathsMax) continue;
        if (isDamage(error)) return error;
        this.#options.warn(`${alias} could not be read through, and is taken for whole`, error);
        return null;
      }
    }
  }

  async #putAside(file: File, cause: unknown): Promise<boolean> {
    try {
      if (await this.#options.setAside(file, damageReason(cause), cause)) this.#files = [...this.#files, file];
      return true;
    } catch (error) {
      this.#options.warn(`${file.alias} is damaged and could not be set aside yet`, error);
      return false;
    }
  }
}
