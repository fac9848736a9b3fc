import { LRUCache } from 'lru-cache';

export interface ShareSettings {
  /** A run that takes longer is a long one. */
  readonly longMs: number;
  /** Long runs of tenants that have others under way, at a time; as many as the engine has threads. */
  readonly longMax: number;
}

/** Queries that a tenant of which nothing is known may run at once. */
const windowFirst = 2;

/** A tenant that has the engine for itself takes what it wants: for so long after the last query of another one it does not. */
const othersMs = 5 * 60_000;

/** Tenants that are remembered, a hundred bytes each. */
const knownMax = 10_000;

/**
 * How many of the engine's places a tenant may take beside those that it has. What a query will cost is not known
 * before it runs, so it is judged by what the tenant's queries took: each short run lets it have one more at a time, a long
 * one sets it back to one. The engine's threads are shared by whoever runs, so that long runs are as many as threads
 * and no more, but for one of each tenant. All this holds while several tenants are there
 * (decision 58).
 */
export class TenantShares {
  readonly #settings: ShareSettings;
  readonly #nowMs: () => number;
  readonly #running = new Map<string, Set<{ readonly sinceMs: number }>>();
  /** The tenant that asked last, and the last one before it that was another. */
  #last = { tenant: '', ms: Number.NEGATIVE_INFINITY };
  #lastOther = { tenant: '', ms: Number.NEGATIVE_INFINITY };
  /** Queries that each may run at once. */
  readonly #windows = new LRUCache<string, number>({ max: knownMax });

  constructor(settings: ShareSettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** Places that the tenant has. */
  held(tenant: string): number {
    return this.#running.get(tenant)?.size ?? 0;
  }

  /** Notes that the tenant has a query. */
  asks(tenant: string): void {
    if (this.#last.tenant !== tenant) this.#lastOther = this.#last;
    this.#last = { tenant, ms: this.#nowMs() };
  }

  mayTake(tenant: string): boolean {
    const other = this.#last.tenant === tenant ? this.#lastOther : this.#last;
    if (this.#nowMs() - other.ms > othersMs) return true;
    const { longMax } = this.#settings;
    const held = this.held(tenant);
    // Never kept from its first: that its queries took long may be the doing of others.
    if (held === 0) return true;
    if (this.#longOf(tenant) > 0) return this.#longCount() < longMax && held < longMax;
    return held < (this.#windows.get(tenant) ?? windowFirst);
  }

  /** Notes that a run begins; the function that is given back, that it has ended. */
  begin(tenant: string): () => void {
    const run = { sinceMs: this.#nowMs() };
    const runs = this.#running.get(tenant) ?? new Set();
    this.#running.set(tenant, runs.add(run));
    return () => {
      if (!runs.delete(run)) return;
      if (runs.size === 0) this.#running.delete(tenant);
      const isLong = this.#nowMs() - run.sinceMs > this.#settings.longMs;
      this.#windows.set(tenant, isLong ? 1 : (this.#windows.get(tenant) ?? windowFirst) + 1);
    };
  }

  #longCount(): number {
    let count = 0;
    for (const tenant of this.#running.keys()) count += this.#longOf(tenant);
    return count;
  }

  #longOf(tenant: string): number {
    const beforeMs = this.#nowMs() - this.#settings.longMs;
    let count = 0;
    for (const { sinceMs } of this.#running.get(tenant) ?? []) if (sinceMs < beforeMs) count++;
    return count;
  }
}
