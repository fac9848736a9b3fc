import type { Observe } from '../../../core/observation.ts';
import { type CommitLedger, LedgerWentBack } from '../../../ports/commitLedger.ts';

export interface GivenNumbersOptions {
  readonly ledger: Pick<CommitLedger, 'skip'>;
  /** The highest number of a stored event that is at least `from`; null if there is none. */
  readonly highest: (from: number) => Promise<number | null>;
  /** A number below which this node knows that numbers were given. */
  readonly known: () => number;
  /** How often this node may have missed what the store held (openPostgresStores.ts). */
  readonly interruptions: () => number;
  readonly observe: Observe;
}

/**
 * Keeps the ledger from giving numbers again that stored events have, if an older copy of the store is restored while nodes
 * run. Two commits with the same numbers would hide and remove each other's events, and a deletion would spare events.
 */
export class GivenNumbers {
  readonly #options: GivenNumbersOptions;
  /** The interruptions up to which the ledger was compared with the stored events; null if it must be. */
  #compared: number | null;
  #comparing: Promise<void> | null = null;

  /** The ledger must be above all stored events now. */
  constructor(options: GivenNumbersOptions) {
    this.#options = options;
    this.#compared = options.interruptions();
  }

  /** Resolves once the ledger gives only numbers above those of all stored events. */
  async restored(): Promise<void> {
    while (this.#compared !== this.#options.interruptions()) {
      this.#comparing ??= this.#compare().finally(() => {
        this.#comparing = null;
      });
      await this.#comparing;
    }
  }

  /** Takes numbers from the ledger. `take` gets the number that it must not go below. */
  async take<T>(take: (known: number) => Promise<T>): Promise<T> {
    for (;;) {
      await this.restored();
      try {
        return await take(this.#options.known());
      } catch (error) {
        if (!(error instanceof LedgerWentBack)) throw error;
        this.wentBack();
      }
    }
  }

  /** The ledger was seen to be an older one. */
  wentBack(): void {
    this.#compared = null;
  }

  async #compare(): Promise<void> {
    const { ledger, highest, known, interruptions, observe } = this.#options;
    const wentBack = this.#compared === null;
    const seen = interruptions();
    const from = known();
    const last = Math.max(from - 1, (await highest(from)) ?? 0);
    await ledger.skip(last);
    this.#compared = seen;
    if (wentBack)
      observe({ kind: 'warning', message: `the store is an older copy; arrival numbers go on above ${last}` });
  }
}
