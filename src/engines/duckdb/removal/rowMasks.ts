import { type Cutoffs, everythingRemoved, nothingRemoved } from '../../../retention/cutoffs.ts';
import type { EventFile } from '../files/eventFiles.ts';
import { quoteText } from '../sqlText.ts';

/**
 * Rows of one table of one segment that must not be seen: those before a cutoff (retention/cutoffs.ts), `own` by
 * project, `others` for every other project. Also sent to the engine process as data.
 */
export interface RowMask {
  readonly others: number;
  readonly own: readonly (readonly [project: string, cutoff: number])[];
}

/** The properties of a segment that decide which rows are hidden. */
export type FileWithRows = Pick<EventFile, 'stats' | 'clearedTo'>;

/** Hidden rows of the given projects (null for all) in the segment; null if it holds none. */
export function rowMask(
  file: FileWithRows,
  source: string,
  projects: readonly string[] | null,
  removals: Cutoffs,
  nowMicros: number,
): RowMask | null {
  return projects === null
    ? hiddenOfAll(file, source, removals, nowMicros)
    : hiddenOf(file, source, projects, removals, nowMicros);
}

function hiddenOf(
  file: FileWithRows,
  source: string,
  projects: readonly string[],
  removals: Cutoffs,
  nowMicros: number,
): RowMask | null {
  const there = projects.filter((project) => file.stats(source, project) !== null);
  const cutoffs = new Map(
    there.map((project) => [project, removals.cutoff(source, project, file.clearedTo, nowMicros)]),
  );
  if (!there.some((project) => isCut(file, source, project, cutoffs.get(project)))) return null;
  const [first = nothingRemoved] = cutoffs.values();
  // No other project is read, so one condition is enough.
  if ([...cutoffs.values()].every((cutoff) => cutoff === first)) return { others: first, own: [] };
  return { others: nothingRemoved, own: [...cutoffs] };
}

function hiddenOfAll(file: FileWithRows, source: string, removals: Cutoffs, nowMicros: number): RowMask | null {
  const others = removals.othersCutoff(source, nowMicros);
  const own: [string, number][] = [];
  let isAnyCut = isCut(file, source, null, others);
  for (const project of removals.ownProjects(source, file.clearedTo)) {
    const cutoff = removals.cutoff(source, project, file.clearedTo, nowMicros);
    // If neither cutoff applies, naming the project makes no difference.
    if (!isCut(file, source, project, Math.max(cutoff, others))) continue;
    own.push([project, cutoff]);
    isAnyCut ||= isCut(file, source, project, cutoff);
  }
  return isAnyCut ? { others, own } : null;
}

/** Whether the segment holds events before the cutoff. */
export function isCut(file: FileWithRows, source: string, project: string | null, cutoff: number | undefined): boolean {
  const stats = file.stats(source, project);
  return stats !== null && cutoff !== undefined && stats.firstMicros < cutoff;
}

/** The cutoff for a project's events. */
export function cutoffOf(hidden: RowMask, project: string): number {
  return hidden.own.find(([name]) => name === project)?.[1] ?? hidden.others;
}

/** The condition that keeps the visible rows, on the columns `project` and `timestamp`. */
export function keptCondition({ others, own }: RowMask): string {
  const ofOthers = own.length === 0 ? [] : [`project NOT IN (${listed(own.map(([project]) => project))})`];
  const alternatives = [sinceCutoff(ofOthers, others)];
  const byCutoff = new Map<number, string[]>();
  for (const [project, cutoff] of own) byCutoff.set(cutoff, [...(byCutoff.get(cutoff) ?? []), project]);
  for (const [cutoff, projects] of byCutoff) {
    alternatives.push(sinceCutoff([`project IN (${listed(projects)})`], cutoff));
  }
  const possible = alternatives.filter((each) => each !== null);
  if (possible.length === 0) return 'FALSE';
  if (possible.length === 1) return `(${possible[0]})`;
  // The condition that most rows meet comes first: rows after the latest cutoff are not compared with project names.
  const latest = Math.max(others, ...byCutoff.keys());
  const first = latest === everythingRemoved ? [] : [`"timestamp" >= make_timestamp(${latest})`];
  return `(${[...first, ...possible].map((each) => `(${each})`).join(' OR ')})`;
}

/** Null if no row can meet it. */
function sinceCutoff(conditions: readonly string[], cutoff: number): string | null {
  if (cutoff === everythingRemoved) return null;
  const all = cutoff === nothingRemoved ? conditions : [...conditions, `"timestamp" >= make_timestamp(${cutoff})`];
  return all.length === 0 ? 'TRUE' : all.join(' AND ');
}

function listed(texts: readonly string[]): string {
  return texts.map(quoteText).join(', ');
}
