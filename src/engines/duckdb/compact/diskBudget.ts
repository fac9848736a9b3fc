import type { Removals } from '../../../retention/removals.ts';
import type { RetentionMark } from '../../../retention/retentionMark.ts';
import type { SealedFile } from '../files/sealedFile.ts';

/**
 * Returns the sealed segments to drop so that all segments together fit the budget: those with the oldest newest event
 * first. None without a budget (0). Active segments, and those waiting to be sealed, stay.
 */
export function beyondBudget(
  sealed: readonly SealedFile[],
  activeBytes: number,
  budgetBytes: number,
): readonly SealedFile[] {
  if (budgetBytes === 0) return [];
  let excess = sealed.reduce((sum, { bytes }) => sum + bytes, activeBytes) - budgetBytes;
  const dropped: SealedFile[] = [];
  for (const file of sealed.toSorted((a, b) => a.lastMicros - b.lastMicros || a.number - b.number)) {
    if (excess <= 0) break;
    dropped.push(file);
    excess -= file.bytes;
  }
  return dropped;
}

/** The time from which on each source is complete after the segments are dropped: after their last event of it. */
export function marksOfDropped(files: readonly SealedFile[], removals: Removals): readonly RetentionMark[] {
  return files.flatMap((file) =>
    file.sources.flatMap((source): readonly RetentionMark[] => {
      const stats = file.stats(source, null);
      if (stats === null) return [];
      const micros = stats.lastMicros + 1;
      // Projects with their own rules have their own marks.
      return [null, ...removals.rules.ownOf(source).keys()].map((project) => ({ source, project, micros }));
    }),
  );
}
