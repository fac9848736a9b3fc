import type { RetentionMark } from '../engines/ports/retentionMark.ts';
import type { EventDeletion } from './eventDeletion.ts';
import { oldestKeptMicros, type RetentionRules } from './retentionRules.ts';

/** As a cutoff: no event is removed. Before the year 1, the first of any event: safe integers go back to 1684 only. */
export const nothingRemoved = -(2 ** 62);
/** As a cutoff: every event is removed. After the year 9999, the last that a deletion can name. */
export const everythingRemoved = 2 ** 62;

const none: readonly EventDeletion[] = [];
const noMarks: ReadonlyMap<string | null, number> = new Map();

/**
 * What is not to be seen any more, by age or on request (streams.md, "Retention"). Of one project's events of a
 * source in one file it is always those before one moment, the *cutoff*: microseconds since 1970,
 * `nothingRemoved` or `everythingRemoved`. Files say with `clearedTo` which deletions are carried out in them.
 */
export class Removals {
  readonly rules: RetentionRules;
  readonly #deletions = new Map<string, EventDeletion[]>();
  /** Micros by project (null for those without rules of their own) by source. */
  readonly #marks = new Map<string, Map<string | null, number>>();
  #lastBoundary = 0;

  constructor(rules: RetentionRules, deletions: readonly EventDeletion[] = [], marks: readonly RetentionMark[] = []) {
    this.rules = rules;
    for (const deletion of deletions) this.add(deletion);
    this.mark(marks);
  }

  /** Whether there is nothing to look at. */
  get isEmpty(): boolean {
    return this.rules.isOff && this.#deletions.size === 0;
  }

  /** Whether no event of these sources is to be looked at: nothing of them is removed by age, nothing on request. */
  leavesAll(sources: readonly string[]): boolean {
    if (this.#deletions.size > 0) return false;
    return sources.every(
      (source) => this.rules.effective(source, null).days === 0 && this.rules.ownOf(source).size === 0,
    );
  }

  /** Whether, besides, nothing of them was ever taken out by age. */
  alwaysLeftAll(sources: readonly string[]): boolean {
    return this.leavesAll(sources) && sources.every((source) => !this.#marks.has(source));
  }

  /** The highest boundary of a deletion; 0 without any. */
  get lastBoundary(): number {
    return this.#lastBoundary;
  }

  /** In force from now on. */
  add(deletion: EventDeletion): void {
    const ofProject = this.#deletions.get(deletion.project) ?? [];
    ofProject.push(deletion);
    this.#deletions.set(deletion.project, ofProject);
    this.#lastBoundary = Math.max(this.#lastBoundary, deletion.boundary);
  }

  /** Notes how far retention was carried out. */
  mark(marks: readonly RetentionMark[]): void {
    for (const { source, project, micros } of marks) {
      const ofSource = this.#marks.get(source) ?? new Map<string | null, number>();
      this.#marks.set(source, ofSource.set(project, Math.max(micros, ofSource.get(project) ?? nothingRemoved)));
    }
  }

  /**
   * The marks that a project takes along when it gets rules of its own: up to now it went with those that have none.
   */
  marksOfNew(project: string): readonly RetentionMark[] {
    return [...this.#marks].flatMap(([source, ofSource]) => {
      const micros = ofSource.get(null);
      return micros === undefined || this.rules.ownOf(source).has(project) ? [] : [{ source, project, micros }];
    });
  }

  /**
   * From when on nothing of the project's events of a source (null: of projects that have no rules of their own) was
   * removed, by age or on request: a cutoff. What is stored afterwards may be older.
   */
  begins(source: string, project: string | null, nowMicros: number): number {
    const ofSource = this.#marks.get(source);
    const others = ofSource?.get(null) ?? nothingRemoved;
    if (project === null) return Math.max(others, this.othersCutoff(source, nowMicros));
    const own = ofSource?.get(project) ?? nothingRemoved;
    const marked = this.rules.ownOf(source).has(project) ? own : Math.max(own, others);
    const byAge = Math.max(marked, this.#kept(this.rules.effective(source, project).days, nowMicros));
    // What is stored after a deletion is kept, so that a `before` of later says nothing of those times.
    return this.deletionsOf(source, project, nothingRemoved).reduce(
      (latest, { beforeMicros, requestedMicros }) =>
        Math.max(latest, Math.min(beforeMicros ?? requestedMicros, requestedMicros)),
      byAge,
    );
  }

  /** Whether some projects' events of the source begin later than those of others. */
  varies(source: string): boolean {
    if (this.rules.ownOf(source).size > 0) return true;
    // A project that had rules of its own keeps what was taken out by them.
    const ofSource = this.#marks.get(source) ?? noMarks;
    const others = ofSource.get(null) ?? nothingRemoved;
    if ([...ofSource.values()].some((micros) => micros > others)) return true;
    return [...this.#deletions.values()].flat().some((each) => each.source === null || each.source === source);
  }

  /** The deletions that concern the project's events of the source in a file that is cleared to `clearedTo`. */
  deletionsOf(source: string, project: string, clearedTo: number): readonly EventDeletion[] {
    const ofProject = this.#deletions.get(project);
    if (ofProject === undefined) return none;
    return ofProject.filter((each) => each.boundary > clearedTo && (each.source === null || each.source === source));
  }

  cutoff(source: string, project: string, clearedTo: number, nowMicros: number): number {
    let cutoff = this.#kept(this.rules.effective(source, project).days, nowMicros);
    for (const { beforeMicros } of this.deletionsOf(source, project, clearedTo)) {
      cutoff = Math.max(cutoff, beforeMicros ?? everythingRemoved);
    }
    return cutoff;
  }

  /** The cutoff of projects that have none of their own. */
  othersCutoff(source: string, nowMicros: number): number {
    return this.#kept(this.rules.effective(source, null).days, nowMicros);
  }

  /** Projects that may have another cutoff than others in a file that is cleared to `clearedTo`. */
  *ownProjects(source: string, clearedTo: number): Iterable<string> {
    const byRule = this.rules.ownOf(source);
    yield* byRule.keys();
    if (clearedTo >= this.#lastBoundary) return;
    for (const project of this.#deletions.keys()) {
      if (!byRule.has(project) && this.deletionsOf(source, project, clearedTo).length > 0) yield project;
    }
  }

  #kept(days: number, nowMicros: number): number {
    return oldestKeptMicros(days, nowMicros) ?? nothingRemoved;
  }
}
