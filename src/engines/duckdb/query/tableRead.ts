import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { EventFile } from '../files/eventFiles.ts';
import type { TablePart } from '../process/protocol.ts';

/** A table of a segment that a statement reads, and the rows that it may need. */
export interface TableRead {
  readonly file: Pick<EventFile, 'alias' | 'kind'>;
  readonly part: TablePart;
}

export function tableReadsOf(
  scans: Iterable<{ readonly bounds: ScanBounds; readonly files: readonly EventFile[] }>,
): readonly TableRead[] {
  return [...scans].flatMap(({ bounds, files }) => {
    const { scan, projects, fromMicros, toMicros, arrivals } = bounds;
    const part: TablePart = {
      table: scan.source.name,
      projects,
      fromMicros: fromMicros?.toString() ?? null,
      toMicros: toMicros?.toString() ?? null,
      ...(arrivals === undefined ? {} : { arrivals: [arrivals.after, arrivals.to] as const }),
    };
    return files.map((file) => ({ file, part }));
  });
}

/** Merges the parts into one per table, which holds the rows of all. */
export function joinedParts(parts: readonly TablePart[]): readonly TablePart[] {
  const joined = new Map<string, TablePart>();
  for (const part of parts) {
    const other = joined.get(part.table);
    joined.set(part.table, other === undefined ? part : unionOf(part, other));
  }
  return [...joined.values()];
}

function unionOf(a: TablePart, b: TablePart): TablePart {
  const of = (x: string | null, y: string | null, isEarlier: boolean): string | null =>
    x === null || y === null ? null : BigInt(x) < BigInt(y) === isEarlier ? x : y;
  const [first, second] = [a.arrivals ?? null, b.arrivals ?? null];
  const arrivals: TablePart['arrivals'] =
    first === null || second === null ? null : [Math.min(first[0], second[0]), Math.max(first[1], second[1])];
  return {
    table: a.table,
    projects: a.projects === null || b.projects === null ? null : [...new Set([...a.projects, ...b.projects])],
    fromMicros: of(a.fromMicros, b.fromMicros, true),
    toMicros: of(a.toMicros, b.toMicros, false),
    ...(arrivals === null ? {} : { arrivals }),
  };
}
