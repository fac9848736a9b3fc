import type { FreeSpace } from '../files/freeSpace.ts';
import type { EngineConnection } from './engineConnection.ts';
import { EngineDied } from './engineFailure.ts';

export interface SpillRoomOptions {
  readonly space: Pick<FreeSpace, 'look' | 'spareBytes'>;
  /** What each process may spill where there is room. */
  readonly bytesMax: number;
  /** The processes that run. */
  readonly engines: () => readonly EngineConnection[];
  readonly warn: (message: string, cause: unknown) => void;
}

const lookMs = 500;

/** Bounds differ by so much at least: a smaller change is not worth a call. */
const stepBytes = 1024 * 1024;

/**
 * Keeps the engine's processes from filling the device by what their statements spill: the engine leaves all that is
 * spilled on the device where a write of it fails, until it ends. So each may spill no more than half of what is left above
 * the room below which events are refused.
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

  /** Tells the processes what they may spill, where that has changed. */
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
        warn('what queries may spill could not be bound to the room on the disk', cause);
    } finally {
      this.#isLooking = false;
    }
  }
}
