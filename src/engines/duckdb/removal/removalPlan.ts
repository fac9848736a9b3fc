import type { RemovalOfCommit, RemovedEvents } from '../../../ports/fileManifest.ts';
import { everythingRemoved, nothingRemoved } from '../../../retention/cutoffs.ts';
import type { EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { RetentionMark } from '../../../retention/retentionMark.ts';
import { oldestKeptMicros } from '../../../retention/retentionRules.ts';
import type { SealedFile } from '../files/sealedFile.ts';
import type { ActiveFile } from '../log/activeFile.ts';
import type { LeftOut, RemovedCount } from '../process/protocol.ts';
import { cutoffOf, type FileWithRows, isCut, rowMask } from './rowMasks.ts';

type DataFile = ActiveFile | SealedFile;

/** What rewriting leaves out of its inputs, and which deletions are carried out in what it writes. */
export interface RemovalPlan {
  readonly leftOut: readonly LeftOut[];
  readonly clearedTo: number;
  readonly marks: readonly RetentionMark[];
}

/** A share of a file's events from which on retention has it rewritten. */
const rewriteShareMin = 0.25;
/** Of the days that events are kept: how much longer they may lie in a file where they are few. At least a day. */
const lagShare = 0.25;
const dayMicros = 86_400_000_000;

/** Decided at one moment: a deletion that comes later has a higher token than `clearedTo`. */
export function planRemoval(files: readonly DataFile[], removals: Removals, nowMicros: number): RemovalPlan {
  const leftOut = files.flatMap((file) =>
    file.sources.flatMap((source): LeftOut[] => {
      const hidden = rowMask(file, source, null, removals, nowMicros);
      if (hidden === null) return [];
      const deleted = hidden.own.flatMap(([project]): [string, number][] => {
        const cutoff = deletedBefore(file, source, project, removals);
        return isCut(file, source, project, cutoff) ? [[project, cutoff]] : [];
      });
      return [{ input: file.alias, source, hidden, deleted }];
    }),
  );
  const clearedTo = Math.max(removals.lastToken, Math.min(...files.map((file) => file.clearedTo)));
  return { leftOut, clearedTo, marks: retentionMarks(leftOut, removals, nowMicros) };
}

/** The moment before which deletions take all of the project's events in the file; `nothingRemoved` where they take none. */
function deletedBefore(file: DataFile, source: string, project: string, removals: Removals): number {
  const befores = removals
    .deletionsOf(source, project, file.clearedTo)
    .map(({ beforeMicros }) => beforeMicros ?? everythingRemoved);
  return befores.reduce((latest, each) => Math.max(latest, each), nothingRemoved);
}

/**
 * What is to become of a file because of what is removed: `drop` where it holds nothing else, `rewrite` where a
 * deletion waits, or much of it, or little for long, is past its retention; else null.
 */
export function removalDue(file: DataFile, removals: Removals, nowMicros: number): 'drop' | 'rewrite' | null {
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

/** Whether the file still holds events that the deletion concerns. */
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

/** @throws Error where rows of a project were left out that nothing removes. */
export function requireRemovable(removed: readonly RemovedCount[], { leftOut }: RemovalPlan): void {
  const stray = removed.find(({ input, source, project }) => {
    const hidden = leftOut.find((each) => each.input === input && each.source === source)?.hidden;
    return hidden === undefined || cutoffOf(hidden, project) === nothingRemoved;
  });
  if (stray !== undefined) throw new Error(`${stray.source} would lose events of a project that nothing removes`);
}

/** How far retention is carried out where these rows are left out. */
function retentionMarks(leftOut: readonly LeftOut[], removals: Removals, nowMicros: number): readonly RetentionMark[] {
  return leftOut.flatMap(({ source, hidden: { others, own } }): RetentionMark[] => {
    const ofOthers = others === nothingRemoved ? [] : [{ source, project: null, micros: others }];
    const ofOwn = own.flatMap(([project]): RetentionMark[] => {
      const micros = oldestKeptMicros(removals.rules.effective(source, project).days, nowMicros);
      return micros === null ? [] : [{ source, project, micros }];
    });
    return [...ofOthers, ...ofOwn];
  });
}

/**
 * What a commit that carries out the plan is to note.
 *
 * @throws Error where rules of retention have changed since, and keep what was left out.
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
      throw new Error(`${source} would lose events of a project that are to be kept by now`);
    }
    // It went with those that have no rules of their own, and has got some since.
    const isNew = removals.rules.ownOf(source).has(project) && !hidden.own.some(([name]) => name === project);
    return isNew ? [{ source, project, micros: hidden.others }] : [];
  });
  return { deleted: removedByDeletions(files, removed, removals, clearedTo), marks: [...marks, ...ofNew] };
}

/**
 * What deletions remove of files that are dropped. Where they remove a part of a project's events, the rows have to be
 * counted by `count` (process/protocol.ts); else what is known of the files says it.
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
 * As `removalOf`, where files are dropped of which nothing is to be seen any more. `removed`: `countDropped`, by the plan.
 *
 * @throws Error where something of them is.
 */
export function removalOfWhole(
  files: readonly DataFile[],
  removed: readonly RemovedCount[],
  removals: Removals,
  plan: RemovalPlan,
  nowMicros: number,
): RemovalOfCommit {
  const kept = files.find((file) => removalDue(file, removals, nowMicros) !== 'drop');
  if (kept !== undefined) throw new Error(`${kept.alias} holds events that are to be kept by now`);
  return removalOfAny(files, removed, removals, plan, nowMicros);
}

/** As `removalOfWhole`, where files are dropped whatever they hold. */
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
 * What of it goes to the account of deletions, each event to one: where several take events of a project, all to the
 * one that takes most. Bytes are the events' share of their file. Deletions beyond `clearedTo` were not known yet.
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
