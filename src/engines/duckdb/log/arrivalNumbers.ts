import type { FileManifest } from '../../../ports/fileManifest.ts';

/** Numbers that are reserved at a time; those left unused by a stop or a crash are never given. */
const reservedAtOnce = 1_000_000;

/**
 * Gives arrival numbers (eventLog.ts) to the commits of events. Each number is given once, even after crashes, removals
 * or quarantine: the manifest durably reserves it first. Calls must come one after another, so that the order of the
 * numbers is that of the commits.
 */
export class ArrivalNumbers {
  readonly #manifest: Pick<FileManifest, 'reserveArrivals'>;
  #next: number;
  #reserved: number;
  #committed: number;

  /** `reserved`: all numbers below it may have been given; `highest`: the highest one in the segments. */
  constructor(manifest: Pick<FileManifest, 'reserveArrivals'>, reserved: number, highest: number) {
    this.#manifest = manifest;
    // The segments can know more than the manifest if an older copy of it was restored.
    this.#next = Math.max(1, reserved, highest + 1);
    this.#reserved = reserved;
    this.#committed = highest;
  }

  /** The highest number of a committed event: no event with it or a lower number can become visible any more. */
  get committed(): number {
    return this.#committed;
  }

  /** Must be called when a commit is visible, before it is acknowledged. `last`: its highest number. */
  noteCommitted(last: number): void {
    this.#committed = Math.max(this.#committed, last);
  }

  /** The next number. It is higher than that of any event, present or removed. */
  get end(): number {
    return this.#next;
  }

  /** Ensures that `take` gives no number below `end`. @throws the manifest's error */
  async skipTo(end: number): Promise<void> {
    if (end > this.#reserved) {
      await this.#manifest.reserveArrivals(end);
      this.#reserved = end;
    }
    this.#next = Math.max(this.#next, end);
  }

  /** Returns the first of `count` consecutive numbers. @throws the manifest's error; no number is given then */
  async take(count: number): Promise<number> {
    const first = this.#next;
    const end = first + count;
    if (end > this.#reserved) {
      await this.#manifest.reserveArrivals(end + reservedAtOnce);
      this.#reserved = end + reservedAtOnce;
    }
    this.#next = end;
    return first;
  }
}
