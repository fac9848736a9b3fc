import type { SealedSourceRecord } from '../../../../ports/fileManifest.ts';

/** What a statement over events selects for `arrivalsOf`, of each group of them. */
export const arrivalCounts = (number: string): string =>
  `min(${number}), max(${number}), count(*) FILTER (WHERE ${number} IS NULL)`;

/** What the catalogue keeps of the arrival numbers of all groups together, each as `arrivalCounts` gives it. */
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
