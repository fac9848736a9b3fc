/** What choosing needs to know of a sealed file. */
export interface MergeCandidate {
  readonly events: number;
  readonly bytes: number;
  /** Time of its newest event, microseconds since 1970. */
  readonly lastMicros: number;
}

export interface MergeBounds {
  /** Files of about one size that are merged into one; at least 2. */
  readonly mergeFiles: number;
  readonly mergeEventsMax: number;
  readonly mergeBytesMax: number;
}

/** Files with fewer events are one size: merging them costs next to nothing. */
const smallestTier = 65_536;

/**
 * The files to merge next, oldest first, or null where there are none (size-tiered merging): so many
 * of one tier that follow one another in time, with smaller ones between them; the smallest tier
 * first. Only neighbours, so that a file goes on to hold one stretch of time and the newest rows of a
 * project stay in few files. An event is rewritten about once per tier.
 */
export function chooseMerge<File extends MergeCandidate>(
  files: readonly File[],
  bounds: MergeBounds,
): readonly File[] | null {
  const byTime = files.toSorted((a, b) => a.lastMicros - b.lastMicros);
  const tiers = [...new Set(byTime.map((file) => tierOf(file, bounds)))].sort((a, b) => a - b);
  for (const tier of tiers) {
    for (let first = 0; first < byTime.length; first++) {
      const run = runFrom(byTime.slice(first), tier, bounds);
      if (run !== null) return run;
    }
  }
  return null;
}

/** The neighbours from the first file on that are worth merging; null where they are not enough. */
function runFrom<File extends MergeCandidate>(
  files: readonly File[],
  tier: number,
  bounds: MergeBounds,
): readonly File[] | null {
  const run: File[] = [];
  const sum = { events: 0, bytes: 0 };
  let ofTier = 0;
  for (const file of files) {
    const isWithin =
      sum.events + file.events <= bounds.mergeEventsMax && sum.bytes + file.bytes <= bounds.mergeBytesMax;
    if (isFull(file, bounds) || tierOf(file, bounds) > tier || !isWithin) break;
    run.push(file);
    sum.events += file.events;
    sum.bytes += file.bytes;
    if (tierOf(file, bounds) === tier) ofTier++;
    if (ofTier === bounds.mergeFiles) return run;
  }
  return run.length > 1 && isFull(sum, bounds) ? run : null;
}

/** Whether a file is large enough to stay as it is. */
function isFull(
  { events, bytes }: Pick<MergeCandidate, 'events' | 'bytes'>,
  { mergeEventsMax, mergeBytesMax }: MergeBounds,
): boolean {
  return events >= mergeEventsMax / 2 || bytes >= mergeBytesMax / 2;
}

/** Each tier holds files that are as many times larger as files are merged at once. */
function tierOf({ events }: MergeCandidate, { mergeFiles }: MergeBounds): number {
  return Math.max(0, Math.ceil(Math.log(events / smallestTier) / Math.log(mergeFiles)));
}
