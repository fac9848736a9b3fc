import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { EventFile, FileStats } from '../files/eventFiles.ts';

/** Number of projects up to which the engine skips the rows of others faster than it would read them. */
const namedMax = 100;

/**
 * Segments that can hold an event within the bounds. An active segment with the table always can, because it is being
 * written to.
 */
export function segmentsToRead(files: readonly EventFile[], bounds: ScanBounds): readonly EventFile[] {
  if (bounds.projects?.length === 0) return [];
  return files.filter((file) => {
    if (!mayHoldArrivals(file, bounds)) return false;
    return file.kind === 'active' ? file.hasTable(bounds.scan.source.name) : holdsWithin(file, bounds);
  });
}

/** Whether a segment can hold events with the arrival numbers of the bounds. */
function mayHoldArrivals(file: EventFile, { scan, arrivals }: ScanBounds): boolean {
  if (arrivals === undefined) return true;
  const range = file.arrivals(scan.source.name);
  return range !== null && range[0] <= arrivals.to && range[1] > arrivals.after;
}

/** Whether a segment is known to hold, or may hold, events of the projects and times in the bounds. */
export function holdsWithin(file: EventFile, bounds: ScanBounds): boolean {
  if (bounds.projects?.length === 0 || !mayHoldArrivals(file, bounds)) return false;
  const stats = statsOf(file, bounds);
  if (stats === null) return false;
  if (bounds.fromMicros !== null && BigInt(stats.lastMicros) < bounds.fromMicros) return false;
  return bounds.toMicros === null || BigInt(stats.firstMicros) <= bounds.toMicros;
}

/** Number of events in the segments that can hold one within the bounds, for all scans together. */
export function eventsMost(files: readonly EventFile[], all: readonly ScanBounds[]): number {
  let count = 0;
  for (const bounds of all)
    for (const file of segmentsToRead(files, bounds)) count += statsOf(file, bounds)?.count ?? 0;
  return count;
}

/**
 * The projects whose events in the segment are within the bounds; null for all. Texts do not narrow the projects of a
 * restricted run, so that its time does not depend on other projects' texts.
 */
export function projectsToRead(file: EventFile, { scan, projects, runs = [] }: ScanBounds): readonly string[] | null {
  if (projects !== null) return projects;
  const holders = runs.flatMap(({ path, run }) => {
    const found = file.projectsWith(scan.source, path, run);
    return found === null ? [] : [found];
  });
  const [first, ...others] = holders;
  if (first === undefined) return null;
  const common = first.filter((project) => others.every((each) => each.includes(project)));
  return common.length > namedMax ? null : common;
}

/** The contents of a segment for the source and the projects of the bounds; null if there are none. */
export function statsOf(file: EventFile, bounds: ScanBounds): FileStats | null {
  const { scan } = bounds;
  const found = (projectsToRead(file, bounds) ?? [null]).flatMap(
    (project) => file.stats(scan.source.name, project) ?? [],
  );
  if (found.length === 0) return null;
  return {
    firstMicros: Math.min(...found.map(({ firstMicros }) => firstMicros)),
    lastMicros: Math.max(...found.map(({ lastMicros }) => lastMicros)),
    count: found.reduce((sum, { count }) => sum + count, 0),
  };
}
