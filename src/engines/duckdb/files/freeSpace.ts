import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../core/clock.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Observe } from '../../../core/observation.ts';

/** Bytes of a device: what may still be written to it, and its size. */
export interface DeviceBytes {
  readonly free: number;
  readonly total: number;
}

export type ReadDevice = () => Promise<DeviceBytes>;

export interface FreeSpaceOptions {
  readonly read: ReadDevice;
  /** Free bytes below which no events are taken; 0 never refuses, null is the smaller of 1 GiB and a twentieth of the device. */
  readonly freeBytesMin: number | null;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** How long a reading is believed; at the fastest that events can be written, far less than the room that is kept. */
const readingMicros = 250_000;
const defaultFreeBytesMin = 1024 ** 3;
const defaultShare = 1 / 20;
/** Once refused, events are taken again from so much more free space on, so that it does not go to and fro. */
const againShare = 1 / 16;
const retryAfterSeconds = 15;

/**
 * Watches the room on the device of the event files, so that events are refused while there is still
 * room for what keeps the service running: sealing, merging, the store, a clean stop.
 */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;
  #reading: DeviceBytes | null = null;
  #readAtMicros = 0;
  #pending: Promise<void> | null = null;
  #isLow = false;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
  }

  /** Whether events are refused, as of the last reading. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** As of the last reading; null before the first one. */
  get freeBytes(): number | null {
    return this.#reading?.free ?? null;
  }

  /** Whether the device was just looked at. */
  get isFresh(): boolean {
    const ageMicros = this.#options.clock.nowMicros() - this.#readAtMicros;
    return this.#reading !== null && ageMicros >= 0 && ageMicros < readingMicros;
  }

  /** Bytes that may be written besides events before they are refused, as of the last reading; infinite where that is not known. */
  get spareBytes(): number {
    return this.#reading === null ? Number.POSITIVE_INFINITY : this.#reading.free - this.#neededBytes(this.#reading);
  }

  /** Looks at the device unless it was just looked at. One that cannot be looked at stops nobody. */
  async look(): Promise<void> {
    if (this.isFresh) return;
    this.#pending ??= this.#read().finally(() => {
      this.#pending = null;
    });
    await this.#pending;
  }

  /** Throws `ingest.disk_full` while there is too little room, as of the last reading. */
  refuseWhenLow(): void {
    if (this.#isLow) throw diskFull();
  }

  /** Notes that the device refused a write, whatever it says of its room, such as where a quota ends it. */
  async noteRefusedWrite(): Promise<void> {
    this.#readAtMicros = 0;
    await this.look();
  }

  /** Whether there are so many free bytes now. True where the device cannot be looked at: the write will tell. */
  async hasRoom(bytes: number): Promise<boolean> {
    this.#readAtMicros = 0;
    await this.look();
    return this.#reading === null || this.#reading.free >= bytes;
  }

  async #read(): Promise<void> {
    const { read, clock, observe } = this.#options;
    try {
      this.#reading = await read();
    } catch (cause) {
      if (this.#reading !== null) observe({ kind: 'warning', message: 'free disk space cannot be read', cause });
      this.#reading = null;
    }
    this.#readAtMicros = clock.nowMicros();
    this.#judge();
  }

  #judge(): void {
    const { observe } = this.#options;
    if (this.#reading === null) return;
    const { free } = this.#reading;
    const neededBytes = this.#neededBytes(this.#reading);
    const isLow = free < (this.#isLow ? neededBytes * (1 + againShare) : neededBytes);
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    observe({ kind: isLow ? 'disk.low' : 'disk.recovered', freeBytes: free, neededBytes });
  }

  #neededBytes({ total }: DeviceBytes): number {
    return this.#options.freeBytesMin ?? Math.min(defaultFreeBytesMin, Math.floor(total * defaultShare));
  }
}

/** Nothing of the batch was taken. A sender that keeps it and repeats it loses nothing. */
export function diskFull(cause?: unknown): ServiceError {
  return new ServiceError(
    'ingest.disk_full',
    'The disk of the service is nearly full, so no events are taken; nothing of this batch was stored. Queries go on. Send it again later; whoever operates the service must make room.',
    { retryAfterSeconds, cause },
  );
}

/** Reads the device that a folder lies on. */
export function deviceOf(path: string): ReadDevice {
  return async () => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, total: blocks * bsize };
  };
}
