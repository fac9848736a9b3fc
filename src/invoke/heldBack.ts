/** The end of the engine under a query is forgiven once; from the next one on the tenant is held back. */
const forgiven = 1;
const firstMs = 10_000;
const longestMs = 5 * 60_000;
/** After so long without another one, nothing is known of a tenant any more. */
const forgottenMs = 10 * 60_000;

interface Blamed {
  times: number;
  lastMs: number;
}

/**
 * Tenants whose queries ended the engine, which takes the queries of all others with it: they are repeated, and lose
 * time. Whoever does it repeatedly runs nothing for a while, twice as long each time (decision 58).
 */
export class HeldBack {
  readonly #blamed = new Map<string, Blamed>();

  /** Notes that a query of the tenant ended the engine. */
  blame(tenant: string, nowMs: number): void {
    for (const [other, { lastMs }] of this.#blamed) if (nowMs - lastMs > forgottenMs) this.#blamed.delete(other);
    const times = (this.#blamed.get(tenant)?.times ?? 0) + 1;
    this.#blamed.set(tenant, { times, lastMs: nowMs });
  }

  /** For how long the tenant runs nothing yet; 0 where it may. */
  waitMs(tenant: string, nowMs: number): number {
    const blamed = this.#blamed.get(tenant);
    if (blamed === undefined || blamed.times <= forgiven) return 0;
    const heldMs = Math.min(longestMs, firstMs * 2 ** (blamed.times - forgiven - 1));
    return Math.max(0, blamed.lastMs + heldMs - nowMs);
  }
}
