import type { BatchIdentity, RepeatedOutcome } from '../../../ports/eventLog.ts';
import type { IdentityRow } from '../process/protocol.ts';
import { fingerprintsOf, type IdentityMemory } from './identityMemory.ts';

/** A batch with an identity that is not settled yet. */
interface Claim {
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * Recognises a batch that is sent again with the same Idempotency-Key. With the same content it is a duplicate, otherwise
 * a conflict.
 */
export class RepeatedBatches {
  readonly #memory: IdentityMemory;
  /** By fingerprint of the key. */
  readonly #claims = new Map<string, Claim>();

  constructor(memory: IdentityMemory) {
    this.#memory = memory;
  }

  /** Whether a batch with this key is stored or in progress. */
  isKnown([key]: IdentityRow): boolean {
    return this.#claims.has(key) || this.#memory.find(key) !== undefined;
  }

  /**
   * The outcome of a repeated batch. Null if no batch with its key is stored: this one may be, and others with the key
   * wait until `settle` is called for it.
   */
  async claim([key, digest]: IdentityRow): Promise<RepeatedOutcome | null> {
    // Nothing may come between the last look-up and the entry, or two batches with one key would be stored.
    for (let first = this.#claims.get(key); first !== undefined; first = this.#claims.get(key)) await first.settled;
    const outcome = this.#outcome(key, digest);
    if (outcome === null) this.#claims.set(key, newClaim());
    return outcome;
  }

  /** Ends the claim of a batch, whether or not it is stored. */
  settle([key]: IdentityRow): void {
    const claim = this.#claims.get(key);
    this.#claims.delete(key);
    claim?.settle();
  }

  /** The outcome that a batch would have; null if it would be stored. */
  async recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null> {
    const [key, digest] = fingerprintsOf(identity);
    // While its first batch is in progress, the outcome is unknown.
    for (let first = this.#claims.get(key); first !== undefined; first = this.#claims.get(key)) await first.settled;
    return this.#outcome(key, digest);
  }

  #outcome(key: string, digest: string): RepeatedOutcome | null {
    const known = this.#memory.find(key);
    if (known === undefined) return null;
    return known.digest === digest ? { kind: 'duplicate', answer: known.answer } : { kind: 'conflict' };
  }
}

function newClaim(): Claim {
  let settle = (): void => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { settled, settle };
}
