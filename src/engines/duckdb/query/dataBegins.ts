import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { DataBegin, RemovedSoFar } from '../../../ports/queryEngine.ts';
import { nothingRemoved } from '../../../retention/cutoffs.ts';
import type { Removals } from '../../../retention/removals.ts';

/**
 * The times from which on the sources of these scans are complete (ports/queryEngine.ts), in the order of their names.
 */
export function dataBegins(scans: readonly ScanBounds[], removals: Removals, nowMicros: number): readonly DataBegin[] {
  if (removals.alwaysLeftAll(scans.map(({ scan }) => scan.source.name))) return [];
  const bySource = new Map<string, DataBegin>();
  for (const bounds of scans) {
    const begin = beginOf(bounds, removals, nowMicros);
    const known = bySource.get(begin.source);
    bySource.set(begin.source, known === undefined ? begin : later(known, begin));
  }
  return [...bySource.values()]
    .filter(({ micros, isLaterForSome }) => micros !== null || isLaterForSome)
    .sort((a, b) => (a.source < b.source ? -1 : 1));
}

/**
 * What was removed of the events that these scans look for. The state does not depend on their times, which differ from page to
 * page.
 */
export function removedSoFar(scans: readonly ScanBounds[], removals: Removals, nowMicros: number): RemovedSoFar {
  const states = new Set<string>();
  let isAging = false;
  for (const { scan, projects, fromMicros } of scans) {
    const { name } = scan.source;
    states.add(`${name} ${removals.stateOf(name, projects, nowMicros)}`);
    isAging ||= removals.reachAge(name, projects, fromMicros === null ? null : Number(fromMicros), nowMicros);
  }
  return { state: [...states].sort().join('\n'), isAging };
}

function beginOf({ scan, projects, fromMicros }: ScanBounds, removals: Removals, nowMicros: number): DataBegin {
  const source = scan.source.name;
  const begins = (projects ?? [null]).map((project) => removals.begins(source, project, nowMicros));
  const latest = begins.reduce((a, b) => Math.max(a, b), nothingRemoved);
  const micros = latest === nothingRemoved ? null : latest;
  return {
    source,
    micros,
    isReached: micros !== null && (fromMicros === null || fromMicros < BigInt(micros)),
    isLaterForSome: projects === null && removals.varies(source),
  };
}

function later(a: DataBegin, b: DataBegin): DataBegin {
  return {
    source: a.source,
    micros: a.micros === null || (b.micros !== null && b.micros > a.micros) ? b.micros : a.micros,
    isReached: a.isReached || b.isReached,
    isLaterForSome: a.isLaterForSome || b.isLaterForSome,
  };
}
