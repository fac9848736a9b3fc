import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../core/clock.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Observe } from '../../../core/observation.ts';
import { isNoSpace } from '../host/engineFailure.ts';

/** The free bytes of a device, and its size. */
export interface DeviceBytes {
  readonly free: number;
  readonly total: number;
}

export type ReadDevice = () => Promise<DeviceBytes>;

export interface FreeSpaceOptions {
  readonly read: ReadDevice;
  /**
   * Free bytes below which events are rejected. 0 never rejects; null means 1 GiB or a twentieth of the device,
   * whichever is less.
   */
  readonly freeBytesMin: number | null;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** How long a reading is valid: even the fastest ingestion writes far less than the reserve in this time. */
const readingMicros = 250_000;
const defaultFreeBytesMin = 1024 ** 3;
const defaultShare = 1 / 20;
/** Ingestion resumes once this share more is free, which prevents flapping. */
const againShare = 1 / 16;
const retryAfterSeconds = 15;
/** So much more free space than at a refused write shows that the next one can succeed. */
const recoveredBytes = 2 ** 20;

/**
 * Watches the free space on the device of the segments. Events are rejected while there is still space for what keeps
 * the service running: sealing, compaction, the store, a clean stop.
 */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;
  #reading: DeviceBytes | null = null;
  #readAtMicros = 0;
  #pending: Promise<void> | null = null;
  #isLow = false;
  /** Free bytes when events were refused last; null since a later write of events. */
  #refusedAtBytes: number | null = null;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
  }

  /** Whether events are rejected, as of the last reading and of the last write of events. */
  get isLow(): boolean {
    return this.#isLow || this.#refusedAtBytes !== null;
  }

  /** As of the last reading; null before the first one. */
  get freeBytes(): number | null {
    return this.#reading?.free ?? null;
  }

  /** Whether the last reading is still valid. */
  get isFresh(): boolean {
    const ageMicros = this.#options.clock.nowMicros() - this.#readAtMicros;
    return this.#reading !== null && ageMicros >= 0 && ageMicros < readingMicros;
  }

  /**
   * Bytes that may be written, apart from events, before events are rejected, as of the last reading; infinite if
   * unknown.
   */
  get spareBytes(): number {
    return this.#reading === null ? Number.POSITIVE_INFINITY : this.#reading.free - this.#neededBytes(this.#reading);
  }

  /** Reads the free space unless the last reading is still valid. A failure to read it rejects nothing. */
  async look(): Promise<void> {
    if (this.isFresh) return;
    this.#pending ??= this.#read().finally(() => {
      this.#pending = null;
    });
    await this.#pending;
  }

  /** Throws `ingest.disk_full` while too little space is free, as of the last reading. */
  refuseWhenLow(): void {
    if (this.#isLow) throw diskFull();
  }

  /** Records that the device refused a write although it reports free space, for example because of a quota. */
  async noteRefusedWrite(): Promise<void> {
    this.#readAtMicros = 0;
    await this.look();
  }

  /** Like `noteRefusedWrite`, for a write of events. The next one is tried all the same. */
  async noteRefusedEvents(): Promise<void> {
    await this.noteRefusedWrite();
    this.#refusedAtBytes = this.#reading?.free ?? 0;
  }

  /** Records that events were written. */
  noteWrittenEvents(): void {
    this.#refusedAtBytes = null;
  }

  /** @throws NoRoom if this many bytes are not free. `work` begins the message. */
  async requireRoom(bytes: number, work: string): Promise<void> {
    if (await this.hasRoom(bytes)) return;
    throw new NoRoom(`${work} needs ${bytes} free bytes, but the device has ${this.freeBytes}`);
  }

  /** Whether this many bytes are free now. True if that cannot be read, because the write will show it. */
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
    if (this.#refusedAtBytes !== null && free >= this.#refusedAtBytes + recoveredBytes) this.#refusedAtBytes = null;
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

/** The device has no space for work of the service itself. */
export class NoRoom extends Error {}

/** Whether work of the service itself failed because the device has no space for it: for segments, or for the store. */
export function isLackOfRoom(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'service.disk_full';
  return error instanceof NoRoom || isNoSpace(error);
}

/** Nothing of the batch was stored. A sender that keeps it and retries loses nothing. */
export function diskFull(cause?: unknown): ServiceError {
  return new ServiceError(
    'ingest.disk_full',
    'The disk of the service is nearly full, so nothing in this batch was stored. Queries still run. Send the batch again later; the operator of the service must free some space.',
    { retryAfterSeconds, cause },
  );
}

/** Reads the device of a folder. */
export function deviceOf(path: string): ReadDevice {
  return async () => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, total: blocks * bsize };
  };
}
