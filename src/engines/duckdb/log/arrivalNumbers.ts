import type { FileManifest } from '../../../ports/fileManifest.ts';

/** Numbers that are reserved at a time: what a stop or a crash leaves unused of them is never given again. */
const reservedAtOnce = 1_000_000;

/**
 * Gives arrival numbers (eventLog.ts) to the commits of events, each number once, whatever crashes and whatever is removed
 * or set aside afterwards: before one is given, the catalogue has noted durably that it may be. Calls must come one after
 * another, so that the order of the numbers is that of the commits.
 */
export class ArrivalNumbers {
  readonly #catalogue: Pick<FileManifest, 'reserveArrivals'>;
  #next: number;
  #reserved: number;

  /** `reserved`: all numbers below it may have been given; `highest`: the highest one in the files. */
  constructor(catalogue: Pick<FileManifest, 'reserveArrivals'>, reserved: number, highest: number) {
    this.#catalogue = catalogue;
    // The files can know more than the catalogue where that was put back from an older copy.
    this.#next = Math.max(1, reserved, highest + 1);
    this.#reserved = reserved;
  }

  /** The first of so many numbers that follow one another. @throws what the catalogue throws; none is given then. */
  async take(count: number): Promise<number> {
    const first = this.#next;
    const end = first + count;
    if (end > this.#reserved) {
      await this.#catalogue.reserveArrivals(end + reservedAtOnce);
      this.#reserved = end + reservedAtOnce;
    }
    this.#next = end;
    return first;
  }
}
