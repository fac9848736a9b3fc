import { type Cutoffs, everythingRemoved, nothingRemoved } from '../../../retention/cutoffs.ts';
import type { Source } from '../../../sources/source.ts';
import type { EventFile, FileStats } from '../files/eventFiles.ts';
import { keptCondition, type RowMask, rowMask } from '../removal/rowMasks.ts';

/**
 * A segment as a run sees it: without removed events, even if it has not been rewritten yet. Its known contents exclude
 * them, and every scan gets a condition that leaves them out.
 */
export class VisibleFile implements EventFile {
  readonly alias: string;
  readonly kind: 'active' | 'sealed';
  readonly clearedTo: number;
  readonly #file: EventFile;
  readonly #removals: Cutoffs;
  readonly #nowMicros: number;
  /** Row masks of all projects, by source; only for sealed segments. */
  readonly #hidden = new Map<string, RowMask | null>();

  constructor(file: EventFile, removals: Cutoffs, nowMicros: number) {
    this.alias = file.alias;
    this.kind = file.kind;
    this.clearedTo = file.clearedTo;
    this.#file = file;
    this.#removals = removals;
    this.#nowMicros = nowMicros;
  }

  hasTable(source: string): boolean {
    return this.#file.hasTable(source);
  }

  stats(source: string, project: string | null): FileStats | null {
    const stats = this.#file.stats(source, project);
    if (stats === null) return null;
    const cutoff =
      project === null
        ? leastCutoff(this.#hiddenOfAll(source))
        : this.#removals.cutoff(source, project, this.clearedTo, this.#nowMicros);
    if (stats.firstMicros >= cutoff) return stats;
    return stats.lastMicros < cutoff ? null : { ...stats, firstMicros: cutoff };
  }

  ordinal(source: string, project: string): number | null {
    return this.#file.ordinal(source, project);
  }

  projectsWith(source: Source, path: readonly string[], run: string): readonly string[] | null {
    return this.#file.projectsWith(source, path, run);
  }

  numbered(source: string): 'all' | 'some' | 'none' {
    return this.#file.numbered(source);
  }

  arrivals(source: string): readonly [first: number, last: number] | null {
    return this.#file.arrivals(source);
  }

  irregular(source: string, project: string | null): ReadonlySet<string> {
    return this.#file.irregular(source, project);
  }

  /** The condition that a scan of these projects (null for all) needs; null if it needs none. */
  keptCondition(source: string, projects: readonly string[] | null): string | null {
    const hidden =
      projects === null
        ? this.#hiddenOfAll(source)
        : rowMask(this.#file, source, projects, this.#removals, this.#nowMicros);
    return hidden === null ? null : keptCondition(hidden);
  }

  #hiddenOfAll(source: string): RowMask | null {
    const known = this.#hidden.get(source);
    if (known !== undefined) return known;
    const hidden = rowMask(this.#file, source, null, this.#removals, this.#nowMicros);
    if (this.kind === 'sealed') this.#hidden.set(source, hidden);
    return hidden;
  }
}

/** The time before which no event of any project is visible. */
function leastCutoff(hidden: RowMask | null): number {
  if (hidden === null) return nothingRemoved;
  return hidden.own.reduce((least, [, cutoff]) => Math.min(least, cutoff), Math.min(hidden.others, everythingRemoved));
}

/** The segments as a run at this moment that reads these sources sees them. */
export function visibleFiles(
  files: readonly EventFile[],
  sources: readonly string[],
  removals: Cutoffs,
  nowMicros: number,
): readonly EventFile[] {
  return removals.leavesAll(sources) ? files : files.map((file) => new VisibleFile(file, removals, nowMicros));
}
