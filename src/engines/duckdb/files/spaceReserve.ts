import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { ServiceError } from '../../../core/errors.ts';
import { isDiskFull } from '../../../core/isDiskFull.ts';
import type { Observe } from '../../../core/observation.ts';
import { type FreeSpace, isLackOfRoom } from './freeSpace.ts';

export interface SpaceReserveOptions {
  readonly path: string;
  readonly space: Pick<FreeSpace, 'hasRoom' | 'noteRefusedWrite'>;
  /** Rejects if the folder of the file is no longer the service's. */
  readonly requireSame: () => Promise<void>;
  readonly observe: Observe;
}

/** Enough for a segment without events, and for records in the store. */
export const reserveBytes = 2 ** 20;
/** The file is made only where it is a small part of the free space. */
const freeShare = 32;

/**
 * A file that only takes space. It is given up on a full device for changes that free space, or hide events, and need a
 * little space first: deletions, rules of retention, and dropping segments.
 */
export class SpaceReserve {
  readonly #options: SpaceReserveOptions;

  constructor(options: SpaceReserveOptions) {
    this.#options = options;
  }

  /** Makes the file if it is missing and there is enough space. Never rejects. */
  async keep(): Promise<void> {
    const { path, space, requireSame, observe } = this.#options;
    try {
      if (((await stat(path).catch(() => null))?.size ?? 0) >= reserveBytes) return;
      if (!(await space.hasRoom(reserveBytes * freeShare))) return;
      await requireSame();
      await rm(path, { force: true });
      const file = await open(path, 'wx', 0o600);
      try {
        // A file system that compresses must not make it smaller.
        await file.writeFile(randomBytes(reserveBytes));
      } finally {
        await file.close();
      }
    } catch (cause) {
      await rm(path, { force: true }).catch(() => undefined);
      if (!isDiskFull(cause)) observe({ kind: 'warning', message: 'no disk space could be set aside', cause });
    }
  }

  /** Makes a change. If it fails for lack of space, gives up the file, and makes the change once more. */
  async spend<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      // Without a cause, it is a refusal that a little space does not change: too many segments wait to be sealed.
      const mayHelp = isLackOfRoom(error) && !(error instanceof ServiceError && error.cause === undefined);
      if (!mayHelp || !(await this.#giveUp())) throw error;
    }
    return await change();
  }

  /** Returns whether this has freed any space. */
  async #giveUp(): Promise<boolean> {
    const { path, space, requireSame } = this.#options;
    try {
      await requireSame();
      await rm(path);
    } catch {
      // It was given up before, or never made.
      return false;
    }
    await space.noteRefusedWrite();
    return true;
  }
}
