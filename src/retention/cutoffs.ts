import type { EventDeletion } from './eventDeletion.ts';
import { oldestKeptMicros, type RetentionRules } from './retentionRules.ts';

/** As a cutoff: no event is removed. Before the year 1, the first of any event: safe integers go back to 1684 only. */
export const nothingRemoved = -(2 ** 62);
/** As a cutoff: every event is removed. After the year 9999, the last that a deletion can name. */
export const everythingRemoved = 2 ** 62;

/** Deletions by token by project. */
export type DeletionsByProject = Map<string, Map<number, EventDeletion>>;

/**
 * Which events of files are removed, by rules of age and by deletions. Of one project's events of a source in one file
 * it is always those before one moment, the *cutoff*: microseconds since 1970, `nothingRemoved` or `everythingRemoved`.
 * Files say with `clearedTo` which deletions are carried out in them.
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
    return sources.every(
      (source) => this.rules.effective(source, null).days === 0 && this.rules.ownOf(source).size === 0,
    );
  }

  /** The deletions that concern the project's events of the source in a file that is cleared to `clearedTo`. */
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

  /** The cutoff of projects that have none of their own. */
  othersCutoff(source: string, nowMicros: number): number {
    return this.kept(this.rules.effective(source, null).days, nowMicros);
  }

  /** Projects that may have another cutoff than others in a file that is cleared to `clearedTo`. */
  *ownProjects(source: string, clearedTo: number): Iterable<string> {
    const own = this.rules.ownOf(source);
    yield* own.keys();
    const deleted = new Set(this.#deletions.flatMap((deletions) => [...deletions.keys()]));
    for (const project of deleted) {
      if (!own.has(project) && this.deletionsOf(source, project, clearedTo).length > 0) yield project;
    }
  }

  /** The cutoff by age alone. */
  protected kept(days: number, nowMicros: number): number {
    return oldestKeptMicros(days, nowMicros) ?? nothingRemoved;
  }
}
