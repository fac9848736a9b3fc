import type { FreeSpace } from '../files/freeSpace.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineDied } from './engineFailure.ts';

export interface SpillRoomOptions {
  readonly space: Pick<FreeSpace, 'look' | 'spareBytes'>;
  /** Bytes that each process may spill if the device has space. */
  readonly bytesMax: number;
  /** The running processes. */
  readonly engines: () => readonly EngineConnection[];
  readonly warn: (message: string, cause: unknown) => void;
}

const lookMs = 500;

/** A bound changes by at least this much; a smaller change is not worth a call. */
const stepBytes = 1024 * 1024;

/**
 * Keeps the engine processes from filling the device with spilled data. If a write of spilled data fails, the engine
 * keeps all of it on the device until it ends. So each process may spill at most half of the free space above the
 * reserve below which events are rejected.
 */
export class SpillRoom {
  readonly #options: SpillRoomOptions;
  readonly #told = new WeakMap<EngineConnection, number>();
  readonly #looking: NodeJS.Timeout;
  #isLooking = false;

  constructor(options: SpillRoomOptions) {
    this.#options = options;
    this.#looking = setInterval(() => void this.look(), lookMs);
    this.#looking.unref();
  }

  close(): void {
    clearInterval(this.#looking);
  }

  /** Sends the processes their bounds if these have changed. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { space, bytesMax, engines, warn } = this.#options;
    try {
      await space.look();
      const spare = Math.max(0, Math.floor(space.spareBytes / 2 / stepBytes) * stepBytes);
      const moreBytes = Math.min(bytesMax, spare);
      for (const engine of engines()) {
        if ((this.#told.get(engine) ?? bytesMax) === moreBytes) continue;
        await engine.call('boundSpill', { moreBytes });
        this.#told.set(engine, moreBytes);
      }
    } catch (cause) {
      if (!(cause instanceof EngineDied))
        warn('the temporary data of queries could not be limited to the free disk space', cause);
    } finally {
      this.#isLooking = false;
    }
  }
}
