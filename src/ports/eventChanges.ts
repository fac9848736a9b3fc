/** Tells whether the events that a query reads may have changed, so that the result of an earlier run can be served again. */
export interface EventChanges {
  /**
   * Returns what a query of these sources and projects (null: all) sees now, as a text to compare. If two texts are equal,
   * every run that began between them saw the same events, and reported the same `dataBegins` and `isDamaged`. Null while
   * that is unknown, for example while a batch is being stored. Must change, or be null, before a query can see a change.
   */
  stateOf(sources: readonly string[], projects: readonly string[] | null, nowMicros: number): string | null;

  /** Resolves when no batch is being stored, so that `stateOf` may be known again; at once if none is. Never rejects. */
  settled(): Promise<void>;
}
