import { severalTokens, type TailPlan } from './tailPlan.ts';

/** More need more tokens, or more failures, than there can be in that time. */
const rememberedMax = 1000;

type Kept = Pick<TailPlan, 'key' | 'runner'>;

/**
 * Tails that are kept apart from those of other tokens for a while, with the other tails of their tokens, also after a new
 * connection: a read together with them would fail, take long or have too many rows for all.
 */
export class ApartTails {
  readonly #untilMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(kept: Kept, forMs: number): void {
    for (const name of namesOf(kept)) {
      const untilMs = Math.max(this.#untilMs.get(name) ?? Number.NEGATIVE_INFINITY, this.#nowMs() + forMs);
      // The oldest is the first.
      this.#untilMs.delete(name);
      this.#untilMs.set(name, untilMs);
    }
    for (const [name, untilMs] of this.#untilMs) {
      if (untilMs > this.#nowMs() && this.#untilMs.size <= rememberedMax) break;
      this.#untilMs.delete(name);
    }
  }

  has(tail: Kept): boolean {
    return namesOf(tail).some((name) => (this.#untilMs.get(name) ?? Number.NEGATIVE_INFINITY) > this.#nowMs());
  }
}

/** The token of a tail, which it shares with other ones, or its rows if several tokens read these. */
export const partyOf = ({ key, runner }: Kept): string =>
  runner.id === severalTokens ? `rows ${key}` : `token ${runner.id}`;

const namesOf = (tail: Kept): readonly string[] => [...new Set([`rows ${tail.key}`, partyOf(tail)])];
