import type { RequestBucket, RequestCounter, TakenRequest } from '../../ports/requestCounter.ts';

interface Level {
  level: number;
  atMicros: number;
}

/** The buckets of one process. Tokens are checked before, so there are no more buckets than tokens and rates. */
export class MemoryRequestCounter implements RequestCounter {
  readonly #levels = new Map<string, Level>();

  take(buckets: readonly RequestBucket[], nowMicros: number): TakenRequest {
    const filled = buckets.map((bucket) => this.#fill(bucket, nowMicros));
    const isAllowed = filled.every(({ level }) => level >= 1);
    if (isAllowed) for (const bucket of filled) bucket.level -= 1;
    return { isAllowed, levels: filled.map(({ level }) => level) };
  }

  #fill({ key, rate }: RequestBucket, nowMicros: number): Level {
    const known = this.#levels.get(key);
    if (known === undefined) {
      const full = { level: rate.requests, atMicros: nowMicros };
      this.#levels.set(key, full);
      return full;
    }
    // A clock that was set back gives nothing and takes nothing.
    const elapsedSeconds = Math.max(0, nowMicros - known.atMicros) / 1e6;
    known.level = Math.min(rate.requests, known.level + (elapsedSeconds * rate.requests) / rate.seconds);
    known.atMicros = nowMicros;
    return known;
  }
}
