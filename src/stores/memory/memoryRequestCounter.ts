import type { RequestBucket, RequestCounter, TakenRequest } from '../../ports/requestCounter.ts';

interface Level {
  readonly level: number;
  readonly atMicros: number;
}

/** The buckets of one process. Tokens are checked before, so there are no more buckets than tokens and rates. */
export class MemoryRequestCounter implements RequestCounter {
  readonly #levels = new Map<string, Level>();

  take(buckets: readonly RequestBucket[], nowMicros: number): TakenRequest {
    const filled = buckets.map((bucket) => this.#levelOf(bucket, nowMicros));
    const isAllowed = filled.every((level) => level >= 1);
    const levels = isAllowed ? filled.map((level) => level - 1) : filled;
    for (const [n, { key }] of buckets.entries()) {
      this.#levels.set(key, { level: levels[n] ?? 0, atMicros: nowMicros });
    }
    return { isAllowed, levels };
  }

  #levelOf({ key, rate }: RequestBucket, nowMicros: number): number {
    const known = this.#levels.get(key);
    if (known === undefined) return rate.requests;
    // A clock that was set back gives nothing and takes nothing.
    const elapsedSeconds = Math.max(0, nowMicros - known.atMicros) / 1e6;
    return Math.min(rate.requests, known.level + (elapsedSeconds * rate.requests) / rate.seconds);
  }
}
