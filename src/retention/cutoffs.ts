import type { EventDeletion } from './eventDeletion.ts';
import { oldestKeptMicros, type RetentionRules } from './retentionRules.ts';

/** The cutoff that removes no event. It is before the year 1, the earliest of events; safe integers reach only to 1684. */
export const nothingRemoved = -(2 ** 62);
/** The cutoff that removes every event. It is after the year 9999, the latest that a deletion can name. */
export const everythingRemoved = 2 ** 62;

/** Deletions by project and token. */
export type DeletionsByProject = Map<string, Map<number, EventDeletion>>;

/**
 * Decides which events of files are removed, by retention rules and deletions. For each file, source and project these are
 * the events before the *cutoff*: microseconds since 1970, `nothingRemoved` or `everythingRemoved`. Deletions
 * up to the token `clearedTo` of a file were already applied to it.
 */
export class Cutoffs {
  readonly rules: RetentionRules;
  readonly #deletions: readonly DeletionsByProject[];

  constructor(rules: RetentionRules, deletions: readonly DeletionsByProject[]) {
    this.rules = rules;
    this.#deletions = deletions;
  }

  /** Whether no event of these sources is removed. */
  leavesAll(sources: readonly string[]): boolean {
    if (this.#deletions.some(({ size }) => size > 0)) return false;
    return !sources.some((source) => this.rules.removesOf(source));
  }

  /** The deletions that still affect events of the project and source in a file with this `clearedTo`. */
  deletionsOf(source: string, project: string, clearedTo: number): readonly EventDeletion[] {
    return this.#deletions.flatMap((deletions) => {
      const ofProject = deletions.get(project);
      if (ofProject === undefined) return [];
      return [...ofProject.values()].filter(
        (each) => each.token > clearedTo && (each.source === null || each.source === source),
      );
    });
  }

  cutoff(source: string, project: string, clearedTo: number, nowMicros: number): number {
    let cutoff = this.kept(this.rules.effective(source, project).days, nowMicros);
    for (const { beforeMicros } of this.deletionsOf(source, project, clearedTo)) {
      cutoff = Math.max(cutoff, beforeMicros ?? everythingRemoved);
    }
    return cutoff;
  }

  /** The cutoff of projects without their own rules and deletions. */
  othersCutoff(source: string, nowMicros: number): number {
    return this.kept(this.rules.effective(source, null).days, nowMicros);
  }

  /** Projects that may have their own cutoff in a file with this `clearedTo`. */
  *ownProjects(source: string, clearedTo: number): Iterable<string> {
    const own = this.rules.ownOf(source);
    yield* own.keys();
    const deleted = new Set(this.#deletions.flatMap((deletions) => [...deletions.keys()]));
    for (const project of deleted) {
      if (!own.has(project) && this.deletionsOf(source, project, clearedTo).length > 0) yield project;
    }
  }

  /** The cutoff by age only. */
  protected kept(days: number, nowMicros: number): number {
    return oldestKeptMicros(days, nowMicros) ?? nothingRemoved;
  }
}
