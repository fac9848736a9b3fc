/** Counts the written marks by kind: `meta.redaction.counts` (contract, section 1). */
export class RedactionCounts {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  addAll(other: RedactionCounts): void {
    for (const [kind, count] of other.#counts) this.add(kind, count);
  }

  /** Sorted by kind, so that equal rows give equal bytes. */
  toJson(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
