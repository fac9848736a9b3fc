import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { Removals } from '../../../src/retention/removals.ts';

export interface MemoryRow {
  readonly event: StoredEvent;
  /** Its arrival number. */
  readonly arrival: number;
}

/** The events of an engine that keeps them in arrays, by source, in the order of arrival. */
export class MemoryRows {
  readonly #bySource = new Map<string, readonly MemoryRow[]>();
  readonly #removals: Removals;
  #nextArrival = 1;
  #version = 0;

  constructor(removals: Removals) {
    this.#removals = removals;
    // Everything stored from now on is later than all existing deletions.
    this.#nextArrival = removals.lastToken + 1;
  }

  /** Changes whenever rows are added or removed. */
  get version(): number {
    return this.#version;
  }

  get lastArrival(): number {
    return this.#nextArrival - 1;
  }

  get sources(): readonly string[] {
    return [...this.#bySource.keys()];
  }

  addSource(name: string): void {
    if (!this.#bySource.has(name)) this.#bySource.set(name, []);
  }

  add(source: string, events: readonly StoredEvent[]): void {
    const added = events.map((event) => ({ event, arrival: this.#nextArrival++ }));
    this.#bySource.set(source, [...this.all(source), ...added]);
    this.#version++;
  }

  /** The token of a deletion of the present rows: later rows have this arrival number or a higher one. */
  takeToken(): number {
    const token = Math.max(this.#nextArrival, this.#removals.lastToken + 1);
    this.#nextArrival = token + 1;
    return token;
  }

  all(source: string): readonly MemoryRow[] {
    return this.#bySource.get(source) ?? [];
  }

  /** Rows of these projects (null for all) that are not removed, by age or on request. */
  visible(source: string, projects: readonly string[] | null, nowMicros: number): readonly MemoryRow[] {
    const wanted = projects === null ? null : new Set(projects);
    return this.all(source).filter(
      (row) => (wanted === null || wanted.has(row.event.project)) && !this.isRemoved(source, row, nowMicros),
    );
  }

  isRemoved(source: string, { event, arrival }: MemoryRow, nowMicros: number): boolean {
    return event.timestampMicros < this.#removals.cutoff(source, event.project, arrival, nowMicros);
  }

  /** Drops rows permanently. Returns the dropped rows. */
  drop(source: string, isDropped: (row: MemoryRow) => boolean): readonly MemoryRow[] {
    const all = this.all(source);
    const dropped = all.filter(isDropped);
    if (dropped.length > 0) {
      this.#bySource.set(
        source,
        all.filter((row) => !isDropped(row)),
      );
      this.#version++;
    }
    return dropped;
  }
}
