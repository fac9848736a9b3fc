import type { Removals } from '../../../retention/removals.ts';
import type { RetentionMark } from '../../../retention/retentionMark.ts';
import type { SealedFile } from '../files/sealedFile.ts';

/**
 * The sealed files that have to go so that all event files take no more bytes than the budget: those whose newest
 * event is the oldest first. None without a budget (0). What still receives events, or waits to be sealed, stays.
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

/** From when on nothing of a source is missing where the files are dropped whole: after their last event of it. */
export function marksOfDropped(files: readonly SealedFile[], removals: Removals): readonly RetentionMark[] {
  return files.flatMap((file) =>
    file.sources.flatMap((source): readonly RetentionMark[] => {
      const stats = file.stats(source, null);
      if (stats === null) return [];
      const micros = stats.lastMicros + 1;
      // Projects with rules of their own have marks of their own.
      return [null, ...removals.rules.ownOf(source).keys()].map((project) => ({ source, project, micros }));
    }),
  );
}
