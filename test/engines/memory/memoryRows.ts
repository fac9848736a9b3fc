import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { Removals } from '../../../src/retention/removals.ts';

export interface MemoryRow {
  readonly event: StoredEvent;
  /** Its arrival number. */
  readonly arrival: number;
}

/** The events of an engine that keeps them in arrays, by source, in the order of their arrival. */
export class MemoryRows {
  readonly #bySource = new Map<string, readonly MemoryRow[]>();
  readonly #removals: Removals;
  #nextArrival = 1;
  #version = 0;

  constructor(removals: Removals) {
    this.#removals = removals;
    // What is stored from now on is later than every deletion that there is.
    this.#nextArrival = removals.lastToken + 1;
  }

  /** Another one whenever rows came or went. */
  get version(): number {
    return this.#version;
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

  /** The token of a deletion of what is there now: what comes later arrives at it or after. */
  takeToken(): number {
    const token = Math.max(this.#nextArrival, this.#removals.lastToken + 1);
    this.#nextArrival = token + 1;
    return token;
  }

  all(source: string): readonly MemoryRow[] {
    return this.#bySource.get(source) ?? [];
  }

  /** Rows of these projects (null for all) that are not removed, whether by age or on request. */
  visible(source: string, projects: readonly string[] | null, nowMicros: number): readonly MemoryRow[] {
    const wanted = projects === null ? null : new Set(projects);
    return this.all(source).filter(
      (row) => (wanted === null || wanted.has(row.event.project)) && !this.isRemoved(source, row, nowMicros),
    );
  }

  isRemoved(source: string, { event, arrival }: MemoryRow, nowMicros: number): boolean {
    return event.timestampMicros < this.#removals.cutoff(source, event.project, arrival, nowMicros);
  }

  /** Drops rows for good. Gives those that were dropped. */
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
