import type { RemovalOfCommit, RemovedEvents } from '../../../ports/fileManifest.ts';
import { type Cutoffs, everythingRemoved, nothingRemoved } from '../../../retention/cutoffs.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { RetentionMark } from '../../../retention/retentionMark.ts';
import { oldestKeptMicros } from '../../../retention/retentionRules.ts';
import type { SealedFile } from '../files/sealedFile.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { LeftOut, RemovedCount } from '../process/protocol.ts';
import { cutoffOf, type FileWithRows, isCut, rowMask } from './rowMasks.ts';

type DataFile = ActiveFile | SealedFile;

/** The rows that rewriting leaves out of its inputs, and the deletions that its output has applied. */
export interface RemovalPlan {
  readonly leftOut: readonly LeftOut[];
  readonly clearedTo: number;
  readonly marks: readonly RetentionMark[];
}

/** Share of a segment's events past retention at which it is rewritten. */
const rewriteShareMin = 0.25;
/**
 * How much longer events may stay in a segment if they are few, as a share of the days that events are kept. At least a
 * day.
 */
const lagShare = 0.25;
const dayMicros = 86_400_000_000;

/** Retention now keeps events that a plan leaves out, because rules have changed or the clock went back. */
export class KeptAgain extends Error {
  override readonly name = 'KeptAgain';
}

/**
 * Decided at one moment: a later deletion has a higher token than `clearedTo`. `cutoffs`: `removals`, or
 * `removals.onRequest` to leave out only deleted events.
 */
export function planRemoval(
  files: readonly DataFile[],
  removals: Removals,
  nowMicros: number,
  cutoffs: Cutoffs = removals,
): RemovalPlan {
  const leftOut = files.flatMap((file) =>
    file.sources.flatMap((source): LeftOut[] => {
      const hidden = rowMask(file, source, null, cutoffs, nowMicros);
      if (hidden === null) return [];
      const deleted = hidden.own.flatMap(([project]): [string, number][] => {
        const cutoff = deletedBefore(file, source, project, removals);
        return isCut(file, source, project, cutoff) ? [[project, cutoff]] : [];
      });
      return [{ input: file.alias, source, hidden, deleted }];
    }),
  );
  const clearedTo = Math.max(removals.lastToken, Math.min(...files.map((file) => file.clearedTo)));
  return { leftOut, clearedTo, marks: retentionMarks(leftOut, cutoffs, nowMicros) };
}

/**
 * The time before which deletions take all of the project's events in the segment; `nothingRemoved` if they take none.
 */
function deletedBefore(file: DataFile, source: string, project: string, removals: Removals): number {
  const befores = removals
    .deletionsOf(source, project, file.clearedTo)
    .map(({ beforeMicros }) => beforeMicros ?? everythingRemoved);
  return befores.reduce((latest, each) => Math.max(latest, each), nothingRemoved);
}

/**
 * Decides what to do with a segment because of removals: `drop` if it holds only removed events; `rewrite` if a
 * deletion waits, or if many events are past their retention, or a few are for long; otherwise null.
 */
export function removalDue(file: DataFile, removals: Cutoffs, nowMicros: number): 'drop' | 'rewrite' | null {
  let hidden = 0;
  let isDue = false;
  let isWhole = true;
  for (const source of file.sources) {
    const rows = rowMask(file, source, null, removals, nowMicros);
    if (rows === null) {
      isWhole &&= file.stats(source, null) === null;
      continue;
    }
    const own = new Map(rows.own);
    for (const [project, { firstMicros, lastMicros, count }] of file.projectStats(source)) {
      const cutoff = own.get(project) ?? rows.others;
      if (lastMicros >= cutoff) isWhole = false;
      if (firstMicros >= cutoff) continue;
      hidden += lastMicros < cutoff ? count : (count * (cutoff - firstMicros)) / (lastMicros - firstMicros);
      const byDeletion = removals.deletionsOf(source, project, file.clearedTo);
      isDue ||= byDeletion.some(({ beforeMicros }) => firstMicros < (beforeMicros ?? everythingRemoved));
      isDue ||= cutoff - firstMicros > lagMicros(removals.rules.effective(source, project).days);
    }
  }
  if (isWhole && file.events > 0) return 'drop';
  return isDue || (hidden > 0 && hidden >= file.events * rewriteShareMin) ? 'rewrite' : null;
}

function lagMicros(days: number): number {
  return Math.max(1, days * lagShare) * dayMicros;
}

/** Whether the segment still holds events of the deletion. */
export function holdsDeleted(
  file: FileWithRows & { readonly sources: readonly string[] },
  deletion: EventDeletion,
): boolean {
  if (deletion.token <= file.clearedTo) return false;
  const sources = deletion.source === null ? file.sources : [deletion.source];
  return sources.some((source) => {
    const stats = file.stats(source, deletion.project);
    return stats !== null && stats.firstMicros < (deletion.beforeMicros ?? everythingRemoved);
  });
}

/** @throws Error if rows of a project were left out that nothing removes */
export function requireRemovable(removed: readonly RemovedCount[], { leftOut }: RemovalPlan): void {
  const stray = removed.find(({ input, source, project }) => {
    const hidden = leftOut.find((each) => each.input === input && each.source === source)?.hidden;
    return hidden === undefined || cutoffOf(hidden, project) === nothingRemoved;
  });
  if (stray !== undefined) throw new Error(`${stray.source} would lose events of a project that nothing removes`);
}

/** How far retention is applied if these rows are left out. */
function retentionMarks(leftOut: readonly LeftOut[], { rules }: Cutoffs, nowMicros: number): readonly RetentionMark[] {
  return leftOut.flatMap(({ source, hidden: { others, own } }): RetentionMark[] => {
    const ofOthers = others === nothingRemoved ? [] : [{ source, project: null, micros: others }];
    const ofOwn = own.flatMap(([project]): RetentionMark[] => {
      const micros = oldestKeptMicros(rules.effective(source, project).days, nowMicros);
      return micros === null ? [] : [{ source, project, micros }];
    });
    return [...ofOthers, ...ofOwn];
  });
}

/**
 * The removals that a commit of this plan must record.
 *
 * @throws KeptAgain
 */
export function removalOf(
  files: readonly DataFile[],
  removed: readonly RemovedCount[],
  removals: Removals,
  plan: RemovalPlan,
  nowMicros: number,
): RemovalOfCommit {
  const { clearedTo, leftOut, marks } = plan;
  const ofNew = removed.flatMap(({ input, source, project }): RetentionMark[] => {
    const hidden = leftOut.find((each) => each.input === input && each.source === source)?.hidden;
    const file = files.find(({ alias }) => alias === input);
    if (hidden === undefined || file === undefined) return [];
    if (cutoffOf(hidden, project) > removals.cutoff(source, project, file.clearedTo, nowMicros)) {
      throw new KeptAgain(`${source} would lose events of a project that must now be kept`);
    }
    // The project had no rules of its own when the plan was made, and has some now.
    const isNew = removals.rules.ownOf(source).has(project) && !hidden.own.some(([name]) => name === project);
    return isNew ? [{ source, project, micros: hidden.others }] : [];
  });
  return { deleted: removedByDeletions(files, removed, removals, clearedTo), marks: [...marks, ...ofNew] };
}

/**
 * Counts what deletions remove from dropped segments. If they remove only some events of a project, `count`
 * (process/protocol.ts) counts the rows; otherwise the known contents suffice.
 */
export async function countDropped(
  files: readonly DataFile[],
  { leftOut }: RemovalPlan,
  count: (leftOut: readonly LeftOut[]) => Promise<readonly RemovedCount[]>,
): Promise<readonly RemovedCount[]> {
  const known: RemovedCount[] = [];
  const parts: LeftOut[] = [];
  for (const each of leftOut) {
    const file = files.find(({ alias }) => alias === each.input);
    const isPart = ([project, cutoff]: readonly [string, number]) =>
      (file?.stats(each.source, project)?.lastMicros ?? nothingRemoved) >= cutoff;
    if (each.deleted.some(isPart)) {
      parts.push({ ...each, hidden: { others: nothingRemoved, own: each.deleted } });
      continue;
    }
    for (const [project] of each.deleted) {
      const events = file?.stats(each.source, project)?.count ?? 0;
      known.push({ input: each.input, source: each.source, project, events, deleted: events });
    }
  }
  return parts.length === 0 ? known : [...known, ...(await count(parts))];
}

/**
 * Like `removalOf`, for dropped segments whose events are all removed. `removed`: the result of `countDropped` for the
 * plan.
 *
 * @throws KeptAgain if an event is still visible
 */
export function removalOfWhole(
  files: readonly DataFile[],
  removed: readonly RemovedCount[],
  removals: Removals,
  plan: RemovalPlan,
  nowMicros: number,
): RemovalOfCommit {
  const kept = files.find((file) => removalDue(file, removals, nowMicros) !== 'drop');
  if (kept !== undefined) throw new KeptAgain(`${kept.alias} holds events that must now be kept`);
  return removalOfAny(files, removed, removals, plan, nowMicros);
}

/** Like `removalOfWhole`, for segments that are dropped whatever they hold. */
export function removalOfAny(
  files: readonly DataFile[],
  removed: readonly RemovedCount[],
  removals: Removals,
  { clearedTo }: RemovalPlan,
  nowMicros: number,
): RemovalOfCommit {
  const { marks } = planRemoval(files, removals, nowMicros);
  return { deleted: removedByDeletions(files, removed, removals, clearedTo), marks };
}

/**
 * Attributes removed events to deletions, each event to one. If several take events of a project, all go to the one
 * that takes most. Bytes are the events' share of their segment. Deletions after `clearedTo` were not known yet.
 */
function removedByDeletions(
  files: readonly DataFile[],
  removed: readonly RemovedCount[],
  removals: Removals,
  clearedTo: number,
): readonly RemovedEvents[] {
  return removed.flatMap(({ input, source, project, deleted: events }) => {
    const file = files.find(({ alias }) => alias === input);
    if (file === undefined || events === 0) return [];
    const [deletion] = removals
      .deletionsOf(source, project, file.clearedTo)
      .filter(({ token }) => token <= clearedTo)
      .sort((a, b) => (b.beforeMicros ?? everythingRemoved) - (a.beforeMicros ?? everythingRemoved));
    if (deletion === undefined) return [];
    const bytes = Math.round((file.bytes * events) / Math.max(1, file.events));
    return [{ deletion: deletion.token, source, events, bytes }];
  });
}
