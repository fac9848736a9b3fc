import type { ArrivalRange, LedgerState } from '../../../ports/commitLedger.ts';
import { nothingRemoved } from '../../../retention/cutoffs.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import { quoteText, timestampLiteral } from '../sqlText.ts';
import { arrivalColumn } from './tableLayout.ts';
import { projectCondition, sinceCondition, type VisibleRows } from './visibleRows.ts';

export interface KnownCommits {
  readonly state: LedgerState;
  ready(): Promise<void>;
}

/** The events that queries may see: of complete commits, within their retention, and not deleted. */
export class VisibleEvents implements VisibleRows {
  readonly #commits: KnownCommits;
  readonly #removals: Removals;

  constructor(commits: KnownCommits, removals: Removals) {
    this.#commits = commits;
    this.#removals = removals;
  }

  async ready(): Promise<void> {
    await this.#commits.ready();
  }

  condition(source: string, projects: readonly string[] | null, nowMicros: number): string {
    return [
      ...completeConditions(this.#commits.state),
      ...keptConditions(source, projects, this.#removals, nowMicros),
      ...this.#removals.inForce.flatMap((deletion) => {
        if (deletion.source !== null && deletion.source !== source) return [];
        if (projects !== null && !projects.includes(deletion.project)) return [];
        return [`NOT (${deletedCondition(deletion)})`];
      }),
    ].join(' AND ');
  }
}

/** TRUE for events of complete commits. */
function completeConditions({ end, hidden }: LedgerState): readonly string[] {
  return [`${arrivalColumn} < ${end}`, ...joined(hidden).map((range) => `NOT (${rangeCondition(range)})`)];
}

export function rangeCondition({ first, end }: ArrivalRange): string {
  return `${arrivalColumn} >= ${first} AND ${arrivalColumn} < ${end}`;
}

/** The same numbers in fewer ranges. */
export function joined(ranges: readonly ArrivalRange[]): readonly ArrivalRange[] {
  const found: ArrivalRange[] = [];
  for (const range of ranges) {
    const last = found.at(-1);
    if (last !== undefined && last.end >= range.first) {
      found[found.length - 1] = { first: last.first, end: Math.max(last.end, range.end) };
    } else found.push(range);
  }
  return found;
}

/** TRUE for the events of a deletion, as far as their source is one of its sources. */
export function deletedCondition({ project, token, beforeMicros }: EventDeletion): string {
  const before = beforeMicros === null ? [] : [`timestamp < ${timestampLiteral(beforeMicros)}`];
  return [`project = ${quoteText(project)}`, `${arrivalColumn} < ${token}`, ...before].join(' AND ');
}

/** Projects with the same cutoff by age. */
export interface Retained {
  /** Null: every project without rules of its own, which are `others`. */
  readonly projects: readonly string[] | null;
  /** Microseconds since 1970, or `nothingRemoved`. */
  readonly cutoff: number;
}

/** How long events of a source are kept now, by project; of the given projects, or of all. */
export function retained(
  source: string,
  projects: readonly string[] | null,
  removals: Removals,
  nowMicros: number,
): readonly Retained[] {
  const own = removals.rules.ownOf(source);
  const others = removals.othersCutoff(source, nowMicros);
  const byCutoff = new Map<number, string[]>();
  const ofOthers: Retained[] = projects === null ? [{ projects: null, cutoff: others }] : [];
  for (const project of projects ?? own.keys()) {
    // With this number, no deletion has an effect.
    const cutoff = removals.cutoff(source, project, Number.MAX_SAFE_INTEGER, nowMicros);
    byCutoff.set(cutoff, [...(byCutoff.get(cutoff) ?? []), project]);
  }
  return [...ofOthers, ...[...byCutoff].map(([cutoff, those]) => ({ projects: those, cutoff }))];
}

/** TRUE for events within their retention. */
function keptConditions(
  source: string,
  projects: readonly string[] | null,
  removals: Removals,
  nowMicros: number,
): readonly string[] {
  const all = retained(source, projects, removals, nowMicros);
  const cutoffs = all.map(({ cutoff }) => cutoff);
  const earliest = cutoffs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const since = Number.isFinite(earliest) && earliest !== nothingRemoved ? [sinceCondition(earliest)] : [];
  if (new Set(cutoffs).size <= 1) return since;
  const own = all.flatMap((each) => each.projects ?? []);
  const each = all.map((those) => {
    const which = those.projects === null ? `NOT (${projectCondition(own)})` : projectCondition(those.projects);
    return those.cutoff === nothingRemoved ? `(${which})` : `(${which} AND ${sinceCondition(those.cutoff)})`;
  });
  return [...since, `(${each.join(' OR ')})`];
}
