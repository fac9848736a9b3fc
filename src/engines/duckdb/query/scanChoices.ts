import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { ScanChoice } from '../emit/scanChoice.ts';
import type { EventFile } from '../files/eventFiles.ts';
import { projectsToRead } from './segmentsToRead.ts';
import { VisibleFile } from './visibleFile.ts';

/** How a scan reads the segments that were chosen for it. */
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
function ordinalsOf(file: EventFile, bounds: ScanBounds): readonly number[] | null {
  const { scan } = bounds;
  const projects = projectsToRead(file, bounds);
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

export function irregularOf(file: EventFile, { scan, projects }: ScanBounds): ReadonlySet<string> {
  return new Set((projects ?? [null]).flatMap((project) => [...file.irregular(scan.source.name, project)]));
}
