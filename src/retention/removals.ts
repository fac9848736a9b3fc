import { Cutoffs, type DeletionsByProject, nothingRemoved } from './cutoffs.ts';
import type { EventDeletion } from './eventDeletion.ts';
import type { RetentionMark } from './retentionMark.ts';
import { keepEverything, type RetentionRules } from './retentionRules.ts';

const noMarks: ReadonlyMap<string | null, number> = new Map();

/**
 * Decides which events queries must no longer see, by retention or deletion (streams.md, "Retention").
 *
 * Deletions are stored for good. Only those *in force*, of which a file that queries read still holds events, are checked
 * for cutoffs, so the others cost queries nothing. The times at which data begins because of any deletion are kept by
 * project.
 */
export class Removals extends Cutoffs {
  /** The same for quarantined files, with all deletions ever made. */
  readonly ofQuarantined: Cutoffs;
  /** Only the deletions in force, without retention. They are never taken back. */
  readonly onRequest: Cutoffs;
  readonly #inForce: DeletionsByProject;
  readonly #settled: DeletionsByProject = new Map();
  /** By project and source (null for all): the time from which on nothing was deleted. Microseconds. */
  readonly #begins = new Map<string, Map<string | null, number>>();
  /** By source (null for all): the highest token of a deletion, and that of each project. */
  readonly #lastTokens = new Map<string | null, { ofAll: number; readonly byProject: Map<string, number> }>();
  /** Marks by source and project (null for projects without their own rules). Microseconds. */
  readonly #marks = new Map<string, Map<string | null, number>>();
  #lastToken = 0;
  #changes = 0;

  /** All given deletions are in force. */
  constructor(rules: RetentionRules, deletions: readonly EventDeletion[] = [], marks: readonly RetentionMark[] = []) {
    const inForce: DeletionsByProject = new Map();
    super(rules, [inForce]);
    this.#inForce = inForce;
    this.ofQuarantined = new Cutoffs(rules, [inForce, this.#settled]);
    this.onRequest = new Cutoffs(keepEverything(), [inForce]);
    for (const deletion of deletions) this.add(deletion);
    this.mark(marks);
  }

  /** Rises with every change of what is removed, except when events expire. */
  get revision(): number {
    return this.#changes + this.rules.revision;
  }

  /** Whether no rule and no deletion in force can remove anything. */
  get isEmpty(): boolean {
    return this.rules.isOff && this.#inForce.size === 0;
  }

  /** Whether no event of these sources is removed or was ever removed. */
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

  /** Puts a deletion in force, whether it is new or was settled. */
  add(deletion: EventDeletion): void {
    this.#changes++;
    const { token, project, source, beforeMicros, requestedMicros } = deletion;
    move(deletion, this.#settled, this.#inForce);
    this.#lastToken = Math.max(this.#lastToken, token);
    const tokens = this.#lastTokens.get(source) ?? { ofAll: 0, byProject: new Map<string, number>() };
    this.#lastTokens.set(source, tokens);
    tokens.ofAll = Math.max(tokens.ofAll, token);
    tokens.byProject.set(project, Math.max(token, tokens.byProject.get(project) ?? 0));
    const ofProject = this.#begins.get(project) ?? new Map<string | null, number>();
    // Events stored after the deletion are kept, so times after the request are not affected even if `before` is later.
    const micros = Math.min(beforeMicros ?? requestedMicros, requestedMicros);
    this.#begins.set(project, ofProject.set(source, Math.max(micros, ofProject.get(source) ?? nothingRemoved)));
  }

  /** Ends the force of a deletion, because no file that statements can read holds its events. */
  settle(deletion: EventDeletion): void {
    this.#changes++;
    move(deletion, this.#inForce, this.#settled);
  }

  /** Records up to which time retention has removed events. */
  mark(marks: readonly RetentionMark[]): void {
    if (marks.length > 0) this.#changes++;
    for (const { source, project, micros } of marks) {
      const ofSource = this.#marks.get(source) ?? new Map<string | null, number>();
      this.#marks.set(source, ofSource.set(project, Math.max(micros, ofSource.get(project) ?? nothingRemoved)));
    }
  }

  /** The marks that a project inherits when it gets its own rules, from the projects without rules. */
  marksOfNew(project: string): readonly RetentionMark[] {
    return [...this.#marks].flatMap(([source, ofSource]) => {
      const micros = ofSource.get(null);
      return micros === undefined || this.rules.ownOf(source).has(project) ? [] : [{ source, project, micros }];
    });
  }

  /**
   * The time from which on no event of the project (null: of projects without their own rules) and source was removed, as a
   * cutoff. Events that are stored later may be older.
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

  /**
   * Changes whenever events of the projects (null: of all) and source are removed, except as they reach their age by the
   * present rules: `reachAge` tells that, and nodes learn of each other's marks at different times. Other rules remove other
   * events, so they change it too.
   */
  stateOf(source: string, projects: readonly string[] | null, nowMicros: number): string {
    let lastToken = 0;
    for (const each of [null, source]) {
      const tokens = this.#lastTokens.get(each);
      if (projects === null) lastToken = Math.max(lastToken, tokens?.ofAll ?? 0);
      else for (const project of projects) lastToken = Math.max(lastToken, tokens?.byProject.get(project) ?? 0);
    }
    const ofSource = this.#marks.get(source) ?? noMarks;
    const marks = [...(projects === null ? ofSource.keys() : [null, ...projects])].flatMap((project) => {
      const micros = ofSource.get(project);
      if (micros === undefined) return [];
      const reached = this.kept(this.rules.effective(source, project).days, nowMicros);
      return micros <= reached ? [] : [`${micros} ${project ?? ''}`];
    });
    const ruled = projects ?? [null, ...this.rules.ownOf(source).keys()];
    const days = ruled.map((project) => `${this.rules.effective(source, project).days} ${project ?? ''}`);
    return JSON.stringify([lastToken, marks.sort(), days.sort()]);
  }

  /** Whether events of the projects (null: of all) and source from this time on (null: from any) reach their age now. */
  reachAge(source: string, projects: readonly string[] | null, fromMicros: number | null, nowMicros: number): boolean {
    const asked = projects ?? [null, ...this.rules.ownOf(source).keys()];
    return asked.some((project) => {
      const cutoff = this.kept(this.rules.effective(source, project).days, nowMicros);
      return cutoff !== nothingRemoved && (fromMicros === null || fromMicros < cutoff);
    });
  }

  /** Whether events of the source begin at different times for different projects. */
  varies(source: string): boolean {
    if (this.rules.ownOf(source).size > 0) return true;
    // A project keeps the marks of its former rules.
    const ofSource = this.#marks.get(source) ?? noMarks;
    const others = ofSource.get(null) ?? nothingRemoved;
    if ([...ofSource.values()].some((micros) => micros > others)) return true;
    return this.#wasDeletedOf(source);
  }

  #wasDeletedOf(source: string): boolean {
    return this.#lastTokens.has(null) || this.#lastTokens.has(source);
  }
}

/** Moves a deletion from one map to the other. */
function move(deletion: EventDeletion, from: DeletionsByProject, to: DeletionsByProject): void {
  const { project, token } = deletion;
  const left = from.get(project);
  left?.delete(token);
  if (left?.size === 0) from.delete(project);
  const there = to.get(project) ?? new Map<number, EventDeletion>();
  to.set(project, there.set(token, deletion));
}
