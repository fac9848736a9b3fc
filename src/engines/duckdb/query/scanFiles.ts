import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { ScanChoice } from '../emit/scanChoice.ts';
import type { EventFile, FileStats } from '../files/eventFiles.ts';
import { VisibleFile } from './visibleFile.ts';

/**
 * Segments that can hold an event within the bounds. An active segment with the table always can, because it is being
 * written to.
 */
export function filesWithin(files: readonly EventFile[], bounds: ScanBounds): readonly EventFile[] {
  if (bounds.projects?.length === 0) return [];
  return files.filter((file) => {
    return file.kind === 'active' ? file.hasTable(bounds.scan.source.name) : holdsWithin(file, bounds);
  });
}

/** Whether a segment is known to hold, or may hold, events of the projects and times in the bounds. */
export function holdsWithin(file: EventFile, bounds: ScanBounds): boolean {
  if (bounds.projects?.length === 0) return false;
  const stats = statsOf(file, bounds);
  if (stats === null) return false;
  if (bounds.fromMicros !== null && BigInt(stats.lastMicros) < bounds.fromMicros) return false;
  return bounds.toMicros === null || BigInt(stats.firstMicros) <= bounds.toMicros;
}

/** Number of events in the segments that can hold one within the bounds, for all scans together. */
export function eventsMost(files: readonly EventFile[], all: readonly ScanBounds[]): number {
  let count = 0;
  for (const bounds of all) for (const file of filesWithin(files, bounds)) count += statsOf(file, bounds)?.count ?? 0;
  return count;
}

export function choiceOf(files: readonly EventFile[], bounds: ScanBounds): ScanChoice {
  const irregular = new Set<string>();
  for (const file of files) for (const path of irregularOf(file, bounds)) irregular.add(path);
  const ordinals = new Map(
    files.flatMap((file): [string, readonly number[]][] => {
      const known = ordinalsOf(file, bounds);
      return known === null ? [] : [[file.alias, known]];
    }),
  );
  const kept = new Map(
    files.flatMap((file): [string, string][] => {
      const condition = keptConditionOf(file, bounds);
      return condition === null ? [] : [[file.alias, condition]];
    }),
  );
  const unnumbered = new Map(
    files.flatMap((file): [string, 'some' | 'none'][] => {
      const which = file.numbered(bounds.scan.source.name);
      return which === 'all' ? [] : [[file.alias, which]];
    }),
  );
  return { databases: files.map((file) => file.alias), ordinals, irregular, kept, unnumbered };
}

/** The condition that leaves out removed events that are still stored; null if there are none. */
export function keptConditionOf(file: EventFile, { scan, projects }: ScanBounds): string | null {
  return file instanceof VisibleFile ? file.keptCondition(scan.source.name, projects) : null;
}

/** Null unless the ordinals of all projects in the segment are known. */
function ordinalsOf(file: EventFile, { scan, projects }: ScanBounds): readonly number[] | null {
  if (projects === null) return null;
  const ordinals: number[] = [];
  for (const project of projects) {
    if (file.stats(scan.source.name, project) === null) continue;
    const ordinal = file.ordinal(scan.source.name, project);
    if (ordinal === null) return null;
    ordinals.push(ordinal);
  }
  return ordinals.length === 0 ? null : ordinals;
}

/** The contents of a segment for the source and the projects of the bounds; null if there are none. */
export function statsOf(file: EventFile, { scan, projects }: ScanBounds): FileStats | null {
  const found = (projects ?? [null]).flatMap((project) => file.stats(scan.source.name, project) ?? []);
  if (found.length === 0) return null;
  return {
    firstMicros: Math.min(...found.map(({ firstMicros }) => firstMicros)),
    lastMicros: Math.max(...found.map(({ lastMicros }) => lastMicros)),
    count: found.reduce((sum, { count }) => sum + count, 0),
  };
}

export function irregularOf(file: EventFile, { scan, projects }: ScanBounds): ReadonlySet<string> {
  return new Set((projects ?? [null]).flatMap((project) => [...file.irregular(scan.source.name, project)]));
}
