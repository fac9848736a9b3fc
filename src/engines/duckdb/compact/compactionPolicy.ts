/** The properties of a sealed segment that the choice depends on. */
export interface CompactionCandidate {
  readonly events: number;
  readonly bytes: number;
  /** Time of its newest event, microseconds since 1970. */
  readonly lastMicros: number;
}

export interface CompactionBounds {
  /** Number of segments of similar size that are merged into one; at least 2. */
  readonly mergeFiles: number;
  readonly mergeEventsMax: number;
  readonly mergeBytesMax: number;
}

/** Segments with fewer events belong to one tier, because merging them costs next to nothing. */
const smallestTier = 65_536;

/**
 * Returns the segments to merge next, oldest first, or null if there are none (size-tiered merging). It chooses enough
 * segments of one tier that are neighbours in time, with smaller ones between them, and the smallest tier first.
 * Merging only neighbours keeps each segment to one range of time, so the newest rows of a project stay in few
 * segments. An event is rewritten about once per tier.
 */
export function chooseCompaction<File extends CompactionCandidate>(
  files: readonly File[],
  bounds: CompactionBounds,
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

/** The neighbours, starting with the first segment, that are worth merging; null if there are too few. */
function runFrom<File extends CompactionCandidate>(
  files: readonly File[],
  tier: number,
  bounds: CompactionBounds,
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

/** Whether a segment is large enough to stay as it is. */
function isFull(
  { events, bytes }: Pick<CompactionCandidate, 'events' | 'bytes'>,
  { mergeEventsMax, mergeBytesMax }: CompactionBounds,
): boolean {
  return events >= mergeEventsMax / 2 || bytes >= mergeBytesMax / 2;
}

/** Segments of each tier are larger than those of the tier below by the number of segments merged at once. */
function tierOf({ events }: CompactionCandidate, { mergeFiles }: CompactionBounds): number {
  return Math.max(0, Math.ceil(Math.log(events / smallestTier) / Math.log(mergeFiles)));
}
