import { severalTokens, type TailPlan } from './tailPlan.ts';

const rememberedMs = 10 * 60_000;
/** More need more tokens, or more failures, than there can be in that time. */
const rememberedMax = 1000;

type Failed = Pick<TailPlan, 'key' | 'runner'>;

/**
 * Tails whose read failed while those of others did not. For a while, they and other tails of their tokens are read alone,
 * also after a new connection: each read together with others would fail for all of them.
 */
export class FailedTails {
  readonly #untilMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(failed: Failed): void {
    for (const name of namesOf(failed)) {
      // The oldest is the first.
      this.#untilMs.delete(name);
      this.#untilMs.set(name, this.#nowMs() + rememberedMs);
    }
    for (const [name, untilMs] of this.#untilMs) {
      if (untilMs > this.#nowMs() && this.#untilMs.size <= rememberedMax) break;
      this.#untilMs.delete(name);
    }
  }

  has(tail: Failed): boolean {
    return namesOf(tail).some((name) => (this.#untilMs.get(name) ?? Number.NEGATIVE_INFINITY) > this.#nowMs());
  }
}

/** The rows of a tail, and the token that reads them, if it is one. */
function namesOf({ key, runner }: Failed): readonly string[] {
  return runner.id === severalTokens ? [`rows ${key}`] : [`rows ${key}`, `token ${runner.id}`];
}
