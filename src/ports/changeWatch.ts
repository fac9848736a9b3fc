import type { CountsChanges } from './changeFeed.ts';

/** Changes by other processes are effective within a second (contract, section 4); this leaves half of it for the answer. */
const maxAgeMicros = 500_000;

/**
 * Says which generation of a store what is held in memory must belong to. Asks the store again when
 * the last answer is half a second old, when this process changed something, or when the clock went back.
 */
export class ChangeWatch {
  readonly #store: CountsChanges;
  #last: { readonly generation: number; readonly ownChanges: number; readonly askedAtMicros: number } | undefined;

  constructor(store: CountsChanges) {
    this.#store = store;
  }

  /** What `generation` gives without asking the store; undefined where it would ask. */
  known(nowMicros: number): number | undefined {
    const last = this.#last;
    if (last === undefined || last.ownChanges !== this.#store.ownChanges) return undefined;
    const ageMicros = nowMicros - last.askedAtMicros;
    return ageMicros >= 0 && ageMicros < maxAgeMicros ? last.generation : undefined;
  }

  async generation(nowMicros: number): Promise<number> {
    const known = this.known(nowMicros);
    if (known !== undefined) return known;
    const { ownChanges } = this.#store;
    const generation = await this.#store.generation();
    this.#last = { generation, ownChanges, askedAtMicros: nowMicros };
    return generation;
  }
}
