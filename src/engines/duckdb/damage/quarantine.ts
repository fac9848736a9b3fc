import type { DamagedEventFiles, EventFile } from '../files/eventFiles.ts';
import { EngineDied } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import { damageReason, isDamage } from './fileDamage.ts';

/**
 * After this many deaths of the engine, a file is not read again: it may be what ends the engine, and every query with
 * it.
 */
const deathsMax = 3;

export interface QuarantineOptions<File> {
  readonly supervisor: Pick<EngineSupervisor, 'ready'>;
  /** Quarantines a segment, durably. False if it is no longer among the segments. */
  readonly putInQuarantine: (file: File, reason: string, cause: unknown) => Promise<boolean>;
  /** The segment with this alias; null if it is no longer among the segments. */
  readonly fileOf: (alias: string) => File | null;
  /** Called if it cannot be found out whether a segment is damaged. */
  readonly warn: (message: string, cause: unknown) => void;
}

/**
 * Finds damaged segments and keeps the list of quarantined ones. A segment is quarantined only after two complete reads
 * both failed because of its own bytes: lack of memory, an interrupt or a single disk error is not damage.
 */
export class Quarantine<File extends EventFile> implements DamagedEventFiles {
  readonly #options: QuarantineOptions<File>;
  #files: readonly File[] = [];
  #isUnknown = false;
  /** Segments that are being examined or quarantined. */
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

  /** Takes over the segments that were found damaged when they were opened. */
  adopt(files: readonly File[], isUnknown: boolean): void {
    this.#files = [...this.#files, ...files];
    this.#isUnknown ||= isUnknown;
  }

  async examine(files: readonly EventFile[]): Promise<boolean> {
    let isAny = false;
    // One after another, because each examination reads a whole file.
    for (const { alias } of files) isAny = (await this.#once(alias, () => this.#examineOne(alias))) || isAny;
    return isAny;
  }

  /** Quarantines a segment that is known to be damaged. Does not reject. */
  async found(file: File, cause: unknown): Promise<boolean> {
    return await this.#once(file.alias, () => this.#putInQuarantine(file, cause));
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
    // It has been taken out since the statement began, so the statement can be run again without it.
    if (file === null) return true;
    if ((await this.#readThrough(alias)) === null) return false;
    const cause = await this.#readThrough(alias);
    return cause === null ? false : await this.#putInQuarantine(file, cause);
  }

  /** The error that reading the segment's own bytes causes; null if it is undamaged or if that is unknown. */
  async #readThrough(alias: string): Promise<unknown> {
    for (let deaths = 0; ; ) {
      try {
        const engine = await this.#options.supervisor.ready();
        await engine.call('verify', { alias });
        return null;
      } catch (error) {
        if (error instanceof EngineDied && ++deaths < deathsMax) continue;
        if (isDamage(error)) return error;
        this.#options.warn(`${alias} could not be verified and is assumed to be undamaged`, error);
        return null;
      }
    }
  }

  async #putInQuarantine(file: File, cause: unknown): Promise<boolean> {
    try {
      if (await this.#options.putInQuarantine(file, damageReason(cause), cause)) this.#files = [...this.#files, file];
      return true;
    } catch (error) {
      this.#options.warn(`${file.alias} is damaged but could not be quarantined yet`, error);
      return false;
    }
  }
}
