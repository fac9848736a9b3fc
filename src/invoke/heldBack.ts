/** Times that a tenant's queries may end the engine. After the next one, the tenant is held back. */
const forgiven = 1;
/**
 * Times that queries of a token's tenants together may end the engine. After the next one, all of them are held back.
 */
const forgivenByToken = 4;
const firstMs = 10_000;
const longestMs = 5 * 60_000;
/** Time after which a tenant's record is forgotten. */
const forgottenMs = 10 * 60_000;

interface Blamed {
  times: number;
  lastMs: number;
}

/**
 * Tenants whose queries ended the engine, which delays everyone's queries because they are repeated. A tenant that does
 * so repeatedly must wait, twice as long each time (decision 58). A token without project restriction can act for ever
 * new tenants, so failures are also counted by token.
 */
export class HeldBack {
  readonly #tenants = new Ends(forgiven);
  readonly #tokens = new Ends(forgivenByToken);

  /** Notes that a query of the token's tenant ended the engine. */
  blame(tokenId: string, tenant: string, nowMs: number): void {
    if (this.#tenants.add(tenant, nowMs) === 1) this.#tokens.add(tokenId, nowMs);
  }

  /** How long the tenant must still wait; 0 if it may run now. */
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

  /** Adds one and returns the new count. */
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
