import {
  type FileDamage,
  type FileManifest,
  nothingTakenOut,
  type RemovalOfCommit,
  type RemovedEvents,
  type SealedFileRecord,
} from '../../../ports/fileManifest.ts';

/** A manifest that lasts as long as its process; for tests and measurements. */
export class ManifestInMemory implements FileManifest {
  /** Events that deletions removed, in the order of the commits. */
  readonly removed: RemovedEvents[] = [];
  readonly #records = new Map<number, SealedFileRecord>();
  readonly #dropped = new Set<number>();
  #reserved = 0;

  async load(): Promise<readonly SealedFileRecord[]> {
    return [...this.#records.values()].sort((a, b) => a.number - b.number);
  }

  async commit(
    added: SealedFileRecord | null,
    replacedNumbers: readonly number[],
    removal: RemovalOfCommit = nothingTakenOut,
  ): Promise<void> {
    if (added === null) {
      for (const number of replacedNumbers) {
        for (const dropped of [number, ...(this.#records.get(number)?.mergedFrom ?? [])]) this.#dropped.add(dropped);
      }
    }
    for (const number of replacedNumbers) this.#records.delete(number);
    if (added !== null) this.#records.set(added.number, added);
    this.removed.push(...removal.deleted);
  }

  async remove(number: number): Promise<void> {
    this.#records.delete(number);
  }

  async mark(number: number, damage: FileDamage | null): Promise<void> {
    const record = this.#records.get(number);
    if (record === undefined) return;
    const { damage: _, ...whole } = record;
    this.#records.set(number, damage === null ? whole : { ...whole, damage });
  }

  async loadDropped(): Promise<readonly number[]> {
    return [...this.#dropped].sort((a, b) => a - b);
  }

  async forgetDropped(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) this.#dropped.delete(number);
  }

  async reserveArrivals(end: number): Promise<void> {
    this.#reserved = Math.max(this.#reserved, end);
  }

  async loadArrivals(): Promise<number> {
    return this.#reserved;
  }
}
