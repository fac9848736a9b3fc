import type { Removals } from '../../../retention/removals.ts';
import type { Source } from '../../../sources/source.ts';

/** What is known of the events that a segment holds of a source. */
export interface FileStats {
  /** Bounds of the event times, microseconds since 1970, inclusive. May be wider than the events, never narrower. */
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** Events that every statement started from now on sees; there may be more. */
  readonly count: number;
}

/** A segment that statements may read. Its tables are `alias.main."<source>"` (tableLayout.ts). */
export interface EventFile {
  /** Name of the attached database; a safe identifier. */
  readonly alias: string;
  readonly kind: 'active' | 'sealed';
  /** The segment holds no event that a deletion up to this token deletes (retention/eventDeletion.ts). */
  readonly clearedTo: number;
  /** Whether it has a table of this source; a statement must not name a missing table. */
  hasTable(source: string): boolean;
  /**
   * Null if the segment holds no event of this source and project (null = all projects together). For an active
   * segment, the result is what is known so far, and may grow.
   */
  stats(source: string, project: string | null): FileStats | null;
  /** The value of `project_ordinal` (tableLayout.ts) in every row of the project; null if unknown. */
  ordinal(source: string, project: string): number | null;
  /**
   * The only projects whose events of the source can have a text that contains the run (requiredRun.ts) at a path of
   * their metadata; null if all can.
   */
  projectsWith(source: Source, path: readonly string[], run: string): readonly string[] | null;
  /** How many of its events of the source have an arrival number; with `none`, statements must not name the column. */
  numbered(source: string): 'all' | 'some' | 'none';
  /** The range that holds the arrival numbers of its events of the source; null if none has one. */
  arrivals(source: string): readonly [first: number, last: number] | null;
  /**
   * The `pathKey`s at which events of the source and project (null = any project) are irregular, as of now. Includes
   * those of running appends: a path that is absent after a statement has finished was absent from everything that the
   * statement saw.
   */
  irregular(source: string, project: string | null): ReadonlySet<string>;
}

/** Segments that stay attached until they are released. */
export interface FileLease {
  /** Each stored event is in exactly one. */
  readonly files: readonly EventFile[];
  /** Call it once no statement that names one of the segments runs any more. */
  release(): void;
}

/** Segments in quarantine. */
export interface DamagedEventFiles {
  /** The contents that they had, which cannot be read. */
  readonly files: readonly EventFile[];
  /** Whether the contents of a quarantined segment are unknown. */
  readonly isUnknown: boolean;
  /** Verifies segments and quarantines damaged ones. True if one must not be read any more. */
  examine(files: readonly EventFile[]): Promise<boolean>;
}

export interface EventFiles {
  readonly damaged: DamagedEventFiles;
  /** Events that must not be seen; leased segments hold them until they are rewritten (visibleFile.ts). */
  readonly removals: Removals;
  lease(): FileLease;
}
