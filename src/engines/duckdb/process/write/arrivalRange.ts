import type { SealedSourceRecord } from '../../../../ports/fileManifest.ts';

/** Select items for `arrivalsOf`, for each group of events. */
export const arrivalCounts = (number: string): string =>
  `min(${number}), max(${number}), count(*) FILTER (WHERE ${number} IS NULL)`;

/** The manifest's facts about the arrival numbers of all groups together, each as `arrivalCounts` returns it. */
export function arrivalsOf(
  groups: readonly (readonly unknown[])[],
): Pick<SealedSourceRecord, 'arrivals' | 'unnumbered'> {
  const numbered = groups.filter(([first]) => first !== null);
  if (numbered.length === 0) return {};
  const unnumbered = groups.reduce((sum, [, , count]) => sum + Number(count), 0);
  return {
    arrivals: [
      Math.min(...numbered.map(([first]) => Number(first))),
      Math.max(...numbered.map(([, last]) => Number(last))),
    ],
    ...(unnumbered === 0 ? {} : { unnumbered }),
  };
}
