import { Cutoffs, type DeletionsByProject, nothingRemoved } from './cutoffs.ts';
import type { EventDeletion } from './eventDeletion.ts';
import type { RetentionMark } from './retentionMark.ts';
import type { RetentionRules } from './retentionRules.ts';

const noMarks: ReadonlyMap<string | null, number> = new Map();

/**
 * What is not to be seen any more, by age or on request (streams.md, "Retention"), in files that are served.
 *
 * Deletions are kept for good, and cost a query nothing once no file that is served holds an event of them: only those
 * *in force* are asked for cutoffs. Where data begins because of all of them is known by project.
 */
export class Removals extends Cutoffs {
  /** The same of files that are set aside: with every deletion there ever was. */
  readonly ofSetAside: Cutoffs;
  readonly #inForce: DeletionsByProject;
  readonly #settled: DeletionsByProject = new Map();
  /** From when on nothing was deleted on request: micros by source (null for all) by project. */
  readonly #begins = new Map<string, Map<string | null, number>>();
  /** Sources of which some project's events were deleted; null for all. */
  readonly #deletedOf = new Set<string | null>();
  /** Micros by project (null for those without rules of their own) by source. */
  readonly #marks = new Map<string, Map<string | null, number>>();
  #lastToken = 0;

  /** All of the deletions are in force. */
  constructor(rules: RetentionRules, deletions: readonly EventDeletion[] = [], marks: readonly RetentionMark[] = []) {
    const inForce: DeletionsByProject = new Map();
    super(rules, [inForce]);
    this.#inForce = inForce;
    this.ofSetAside = new Cutoffs(rules, [inForce, this.#settled]);
    for (const deletion of deletions) this.add(deletion);
    this.mark(marks);
  }

  /** Whether there is nothing to look at. */
  get isEmpty(): boolean {
    return this.rules.isOff && this.#inForce.size === 0;
  }

  /** Whether nothing of these sources is removed, nor was ever taken out. */
  alwaysLeftAll(sources: readonly string[]): boolean {
    return (
      this.leavesAll(sources) && sources.every((source) => !this.#marks.has(source) && !this.#wasDeletedOf(source))
    );
  }

  /** The highest token of a deletion; 0 without any. */
  get lastToken(): number {
    return this.#lastToken;
  }

  isInForce(project: string, token: number): boolean {
    return this.#inForce.get(project)?.has(token) ?? false;
  }

  get inForce(): readonly EventDeletion[] {
    return [...this.#inForce.values()].flatMap((ofProject) => [...ofProject.values()]);
  }

  /** In force from now on, be it a new one or one that is in force again. */
  add(deletion: EventDeletion): void {
    const { token, project, source, beforeMicros, requestedMicros } = deletion;
    move(deletion, this.#settled, this.#inForce);
    this.#lastToken = Math.max(this.#lastToken, token);
    this.#deletedOf.add(source);
    const ofProject = this.#begins.get(project) ?? new Map<string | null, number>();
    // What is stored after a deletion is kept, so that a `before` of later says nothing of those times.
    const micros = Math.min(beforeMicros ?? requestedMicros, requestedMicros);
    this.#begins.set(project, ofProject.set(source, Math.max(micros, ofProject.get(source) ?? nothingRemoved)));
  }

  /** Not in force any more: no file that a statement reads, or may read from now on, holds an event of it. */
  settle(deletion: EventDeletion): void {
    move(deletion, this.#inForce, this.#settled);
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
    const byAge = Math.max(marked, this.kept(this.rules.effective(source, project).days, nowMicros));
    const onRequest = this.#begins.get(project);
    return Math.max(byAge, onRequest?.get(null) ?? nothingRemoved, onRequest?.get(source) ?? nothingRemoved);
  }

  /** Whether some projects' events of the source begin later than those of others. */
  varies(source: string): boolean {
    if (this.rules.ownOf(source).size > 0) return true;
    // A project that had rules of its own keeps what was taken out by them.
    const ofSource = this.#marks.get(source) ?? noMarks;
    const others = ofSource.get(null) ?? nothingRemoved;
    if ([...ofSource.values()].some((micros) => micros > others)) return true;
    return this.#wasDeletedOf(source);
  }

  #wasDeletedOf(source: string): boolean {
    return this.#deletedOf.has(null) || this.#deletedOf.has(source);
  }
}

/** Moves a deletion from one place to the other, where it stands once. */
function move(deletion: EventDeletion, from: DeletionsByProject, to: DeletionsByProject): void {
  const { project, token } = deletion;
  const left = from.get(project);
  left?.delete(token);
  if (left?.size === 0) from.delete(project);
  const there = to.get(project) ?? new Map<number, EventDeletion>();
  to.set(project, there.set(token, deletion));
}
