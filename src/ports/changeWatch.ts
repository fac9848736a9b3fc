import type { CountsChanges } from './changeFeed.ts';

/** Changes by other processes take effect within a second (contract, section 4); half of it is left for the answer. */
const maxAgeMicros = 500_000;

/**
 * Returns the generation of a store, so that a cache of it can detect changes. Asks the store again if the last answer is
 * half a second old, after a change by this process, or if the clock went back.
 */
export class ChangeWatch {
  readonly #store: CountsChanges;
  #last: { readonly generation: number; readonly changesSeen: number; readonly askedAtMicros: number } | undefined;

  constructor(store: CountsChanges) {
    this.#store = store;
  }

  /** The generation without asking the store; undefined if `generation` would ask. */
  known(nowMicros: number): number | undefined {
    const last = this.#last;
    if (last === undefined || last.changesSeen !== this.#store.changesSeen) return undefined;
    const ageMicros = nowMicros - last.askedAtMicros;
    return ageMicros >= 0 && ageMicros < maxAgeMicros ? last.generation : undefined;
  }

  async generation(nowMicros: number): Promise<number> {
    const known = this.known(nowMicros);
    if (known !== undefined) return known;
    const { changesSeen } = this.#store;
    const generation = await this.#store.generation();
    this.#last = { generation, changesSeen, askedAtMicros: nowMicros };
    return generation;
  }
}
