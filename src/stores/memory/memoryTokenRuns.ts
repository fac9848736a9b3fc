import type { TokenRuns } from '../../ports/tokenRuns.ts';

/** The running queries of one process. */
export class MemoryTokenRuns implements TokenRuns {
  /** By token; without zeros. */
  readonly #counts = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];

  mayBegin(tokenId: string, concurrencyMax: number): boolean {
    return this.#count(tokenId) < concurrencyMax;
  }

  begin(tokenId: string): () => void {
    this.#counts.set(tokenId, this.#count(tokenId) + 1);
    return () => {
      const left = this.#count(tokenId) - 1;
      if (left === 0) this.#counts.delete(tokenId);
      else this.#counts.set(tokenId, left);
      for (const listener of this.#listeners) listener();
    };
  }

  whenFreed(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #count(tokenId: string): number {
    return this.#counts.get(tokenId) ?? 0;
  }
}
