import type { FileCatalogue, SealedFileRecord } from '../ports/fileCatalogue.ts';

/** A catalogue that lives as long as its process; for tests and measurements. */
export class CatalogueInMemory implements FileCatalogue {
  readonly #records = new Map<number, SealedFileRecord>();

  async load(): Promise<readonly SealedFileRecord[]> {
    return [...this.#records.values()].sort((a, b) => a.number - b.number);
  }

  async commit(added: SealedFileRecord, replacedNumbers: readonly number[]): Promise<void> {
    for (const number of replacedNumbers) this.#records.delete(number);
    this.#records.set(added.number, added);
  }

  async remove(number: number): Promise<void> {
    this.#records.delete(number);
  }
}
