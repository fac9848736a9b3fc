import type { Removals } from '../../../retention/removals.ts';

/** What a file is known to hold of a source. */
export interface FileStats {
  /** Bounds of the event times, microseconds since 1970, both inclusive. Never narrower than the events. */
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** Events that every statement started from now on sees; more may be there. */
  readonly count: number;
}

/** An event file that statements may read. Its tables are `alias.main."<source>"` (tableLayout.ts). */
export interface EventFile {
  /** Name of the attached database; a safe identifier. */
  readonly alias: string;
  readonly kind: 'active' | 'sealed';
  /** What deletions with a token up to it delete, the file does not hold (retention/eventDeletion.ts). */
  readonly clearedTo: number;
  /** Whether it has a table of this source; a statement must not name one that is not there. */
  hasTable(source: string): boolean;
  /**
   * Null when the file holds nothing of this source and project (null = all projects together). For
   * an active file: what is known so far. Asking again may give more.
   */
  stats(source: string, project: string | null): FileStats | null;
  /** The value of `project_ordinal` (tableLayout.ts) in every row of the project; null where it is not known. */
  ordinal(source: string, project: string): number | null;
  /** Which of its events of the source have an arrival number; where none has, the column is not to be named. */
  numbered(source: string): 'all' | 'some' | 'none';
  /**
   * The `pathKey`s at which events of the source and project (null = any project) are irregular, as
   * of now. Holds those of appends that are under way, so a path that is absent after a statement
   * has finished was absent from all that the statement saw.
   */
  irregular(source: string, project: string | null): ReadonlySet<string>;
}

/** Files that stay attached until they are released. */
export interface FileLease {
  /** Each stored event is in exactly one of them. */
  readonly files: readonly EventFile[];
  /** Must be called once no statement that names one of the files runs any more. */
  release(): void;
}

/** Files that are set aside because they are damaged. */
export interface DamagedEventFiles {
  /** What they held. Nothing of it can be read. */
  readonly files: readonly EventFile[];
  /** Whether one is set aside of which it is not known what it held. */
  readonly isUnknown: boolean;
  /** Reads files through and sets aside those that are damaged. True where one of them is not to be read any more. */
  examine(files: readonly EventFile[]): Promise<boolean>;
}

export interface EventFiles {
  readonly damaged: DamagedEventFiles;
  /** What of them must not be seen; leased files hold it until they are rewritten (visibleFile.ts). */
  readonly removals: Removals;
  lease(): FileLease;
}
