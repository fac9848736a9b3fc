import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { EventFile, FileStats } from '../files/eventFiles.ts';
import { segmentsToRead, statsOf } from './segmentsToRead.ts';

/** Events to read at first for each requested row. Filters may discard most of them. */
const eventsPerRow = { plain: 2, filtered: 20 } as const;
/** Each window is at least this many times larger than the last, because it reads the same events again. */
const growthMin = 8;

/**
 * Chooses how far back to look for the newest rows, window by window. Assumes that events are evenly distributed
 * between the first and the last of their segment; a wrong guess costs time, never a row.
 */
export class NewestWindows {
  readonly #spans: readonly FileStats[];
  readonly #total: number;
  readonly #wanted: number;
  #seen = 0;
  #next: number;

  constructor(files: readonly EventFile[], bounds: readonly ScanBounds[], wanted: number) {
    this.#spans = bounds.flatMap((each) =>
      segmentsToRead(files, each).flatMap((file) => clipped(statsOf(file, each), each) ?? []),
    );
    this.#total = this.#spans.reduce((sum, { count }) => sum + count, 0);
    this.#wanted = wanted;
    this.#next = wanted * eventsPerRow[bounds.some(({ isFiltered }) => isFiltered) ? 'filtered' : 'plain'];
  }

  /** The inclusive start of the next window in microseconds; null if it takes in everything that is left. */
  next(): bigint | null {
    // A last window of a few events would cost more than it saves.
    if (this.#next * 1.5 >= this.#total) return null;
    let low = Math.min(...this.#spans.map(({ firstMicros }) => firstMicros));
    let high = Math.max(...this.#spans.map(({ lastMicros }) => lastMicros));
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      if (this.#countSince(middle) > this.#next) low = middle;
      else high = middle;
    }
    this.#seen = this.#next;
    return BigInt(low);
  }

  /** Reports how many rows all windows so far returned together. */
  report(found: number): void {
    // Further matches are possible, but hardly at a higher rate than so far.
    const needed = (this.#wanted / Math.max(found, 1)) * this.#seen * 1.5;
    this.#next = Math.max(needed, this.#seen * growthMin);
  }

  #countSince(micros: number): number {
    return this.#spans.reduce((sum, { firstMicros, lastMicros, count }) => {
      if (micros <= firstMicros) return sum + count;
      return micros > lastMicros ? sum : sum + count * ((lastMicros - micros) / (lastMicros - firstMicros));
    }, 0);
  }
}

/** The share of a segment within the bounds, by the same assumption. */
function clipped(stats: FileStats | null, { fromMicros, toMicros }: ScanBounds): FileStats | null {
  if (stats === null) return null;
  const firstMicros = Math.max(stats.firstMicros, Number(fromMicros ?? stats.firstMicros));
  const lastMicros = Math.min(stats.lastMicros, Number(toMicros ?? stats.lastMicros));
  if (lastMicros < firstMicros) return null;
  const whole = stats.lastMicros - stats.firstMicros;
  const share = whole === 0 ? 1 : (lastMicros - firstMicros) / whole;
  return { firstMicros, lastMicros, count: stats.count * share };
}
