/** The end of the engine under a query is forgiven once; from the next one on the tenant is held back. */
const forgiven = 1;
/** A token that any number of tenants belong to is forgiven for so many of them; from the next one on all of them are held back. */
const forgivenByToken = 4;
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
 * time. Whoever does it repeatedly runs nothing for a while, twice as long each time (decision 58). A token may read for any
 * project, and each is a tenant: it could go on in the name of ever new ones, so those of one token are counted as well.
 */
export class HeldBack {
  readonly #tenants = new Ends(forgiven);
  readonly #tokens = new Ends(forgivenByToken);

  /** Notes that a query of the token's tenant ended the engine. */
  blame(tokenId: string, tenant: string, nowMs: number): void {
    if (this.#tenants.add(tenant, nowMs) === 1) this.#tokens.add(tokenId, nowMs);
  }

  /** For how long the tenant runs nothing yet; 0 where it may. */
  waitMs(tokenId: string, tenant: string, nowMs: number): number {
    return Math.max(this.#tenants.waitMs(tenant, nowMs), this.#tokens.waitMs(tokenId, nowMs));
  }
}

class Ends {
  readonly #forgiven: number;
  readonly #blamed = new Map<string, Blamed>();

  constructor(forgivenTimes: number) {
    this.#forgiven = forgivenTimes;
  }

  /** How many they are now. */
  add(who: string, nowMs: number): number {
    for (const [other, { lastMs }] of this.#blamed) if (nowMs - lastMs > forgottenMs) this.#blamed.delete(other);
    const times = (this.#blamed.get(who)?.times ?? 0) + 1;
    this.#blamed.set(who, { times, lastMs: nowMs });
    return times;
  }

  waitMs(who: string, nowMs: number): number {
    const blamed = this.#blamed.get(who);
    if (blamed === undefined || blamed.times <= this.#forgiven) return 0;
    const heldMs = Math.min(longestMs, firstMs * 2 ** (blamed.times - this.#forgiven - 1));
    return Math.max(0, blamed.lastMs + heldMs - nowMs);
  }
}
