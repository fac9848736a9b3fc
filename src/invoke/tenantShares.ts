import { LRUCache } from 'lru-cache';

export interface ShareSettings {
  /** Runs that take longer count as long. */
  readonly longMs: number;
  /** Maximum number of concurrent long runs of tenants that already run others; the number of engine threads. */
  readonly longMax: number;
}

/** Concurrent queries allowed to an unknown tenant. */
const windowFirst = 2;

/** A tenant is unlimited if no other tenant has sent a query for this long. */
const othersMs = 5 * 60_000;

/** Number of tenants remembered, at about a hundred bytes each. */
const knownMax = 10_000;

/**
 * Decides how many engine slots a tenant may take in addition to those it holds (decision 58). The cost of a query is
 * unknown before it runs, so a tenant is judged by its past queries: each short run allows one more at a time, and a
 * long run resets it to one. Long runs are limited to the number of engine threads, except that each tenant may have
 * one. All this applies only while several tenants are active.
 */
export class TenantShares {
  readonly #settings: ShareSettings;
  readonly #nowMs: () => number;
  readonly #running = new Map<string, Set<{ readonly sinceMs: number }>>();
  /** The latest tenant, and the latest other tenant before it. */
  #last = { tenant: '', ms: Number.NEGATIVE_INFINITY };
  #lastOther = { tenant: '', ms: Number.NEGATIVE_INFINITY };
  /** Concurrent queries allowed, by tenant. */
  readonly #windows = new LRUCache<string, number>({ max: knownMax });

  constructor(settings: ShareSettings, nowMs: () => number) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** Number of slots that the tenant holds. */
  held(tenant: string): number {
    return this.#running.get(tenant)?.size ?? 0;
  }

  /** Records that the tenant has a query. */
  asks(tenant: string): void {
    if (this.#last.tenant !== tenant) this.#lastOther = this.#last;
    this.#last = { tenant, ms: this.#nowMs() };
  }

  mayTake(tenant: string): boolean {
    const other = this.#last.tenant === tenant ? this.#lastOther : this.#last;
    if (this.#nowMs() - other.ms > othersMs) return true;
    const { longMax } = this.#settings;
    const held = this.held(tenant);
    // A tenant always gets its first slot: others may have made its queries slow.
    if (held === 0) return true;
    if (this.#longOf(tenant) > 0) return this.#longCount() < longMax && held < longMax;
    return held < (this.#windows.get(tenant) ?? windowFirst);
  }

  /** Records the start of a run; the returned function records its end. */
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
