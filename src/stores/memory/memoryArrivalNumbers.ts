import { HeldNumbers } from '../../core/concurrency/heldNumbers.ts';
import { Mutex } from '../../core/concurrency/mutex.ts';
import type { ArrivalNumbers, TakenArrivals } from '../../ports/arrivalNumbers.ts';

/** Keeps how far numbers were reserved. */
export interface ReservedArrivals {
  /** The first number that was never reserved. */
  load(): Promise<number>;
  /** Reserves all numbers below this one. Resolves when that is durable. */
  reserve(below: number): Promise<void>;
}

/** Numbers that are reserved at once, so that few reservations are stored. */
const blockSize = 100_000;

/** Arrival numbers of one process. */
export class MemoryArrivalNumbers implements ArrivalNumbers {
  readonly #reserved: ReservedArrivals;
  readonly #held = new HeldNumbers();
  readonly #lane = new Mutex();
  #next: number;
  #below: number;

  private constructor(reserved: ReservedArrivals, next: number) {
    this.#reserved = reserved;
    this.#next = next;
    this.#below = next;
  }

  static async open(reserved: ReservedArrivals): Promise<MemoryArrivalNumbers> {
    return new MemoryArrivalNumbers(reserved, await reserved.load());
  }

  async take(count: number): Promise<TakenArrivals> {
    return await this.#lane.run(async () => {
      if (this.#next + count > this.#below) {
        const below = this.#next + Math.max(count, blockSize);
        await this.#reserved.reserve(below);
        this.#below = below;
      }
      const first = this.#next;
      this.#next += count;
      return { first, count, isCurrent: () => true, end: this.#held.hold(first) };
    });
  }

  async watermark(): Promise<number> {
    return this.#held.lowest ?? this.#next;
  }
}
