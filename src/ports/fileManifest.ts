import type { RetentionMark } from '../retention/retentionMark.ts';

/** What a sealed event file holds of one source, project by project. The arrays run in parallel. */
export interface SealedSourceRecord {
  readonly source: string;
  /** In ascending order of UTF-16 code units, without repeats. */
  readonly projects: readonly string[];
  /** Per project: first and last event time, microseconds since 1970. */
  readonly firstMicros: readonly number[];
  readonly lastMicros: readonly number[];
  /** Per project: events, at least 1. */
  readonly counts: readonly number[];
  /**
   * Per project: the value of `project_ordinal` in its rows (tableLayout.ts). Absent in files that
   * were written before there were ordinals.
   */
  readonly ordinals?: readonly number[];
  /** Typed columns of the file's table as [name, type]. Absent: those that the source declares. */
  readonly hotColumns?: readonly (readonly [name: string, type: string])[];
  /** Lowest and highest arrival number (eventLog.ts) of its events; absent where none has one. */
  readonly arrivals?: readonly [first: number, last: number];
  /** How many of its events were stored before there were numbers; absent where all or none of them were. */
  readonly unnumbered?: number;
  /** Irregular paths (sources/source.ts, HotColumn) as [index into `projects`, `pathKey`]. */
  readonly irregular: readonly (readonly [projectIndex: number, pathKey: string])[];
}

/** A sealed event file: immutable, one table per source, sorted by project and time. */
export interface SealedFileRecord {
  /** Unique among all event files; the file is `sealed-<number>.duckdb`. */
  readonly number: number;
  readonly bytes: number;
  readonly events: number;
  readonly sealedMicros: number;
  readonly sources: readonly SealedSourceRecord[];
  /**
   * Numbers of all files that were ever merged into it, directly or not: where one of them is still
   * in the folder after a crash, its events are here.
   */
  readonly mergedFrom: readonly number[];
  /**
   * The highest token (eventDeletion.ts) of the deletions that are carried out in it: what those up
   * to it delete, it does not hold. Absent in files that were written before there were deletions.
   */
  readonly clearedTo?: number;
  /** Where the file was found damaged: it is set aside and not read, and its events are missing from what is served. */
  readonly damage?: FileDamage;
}

export interface FileDamage {
  /** Its name among the files that are set aside. */
  readonly file: string;
  /** What is wrong with it, for whoever operates the service. */
  readonly reason: string;
  /** When it was found, microseconds since 1970. */
  readonly foundMicros: number;
}

/** Events of a deletion that a file does not hold any more, and about how many bytes they took. */
export interface RemovedEvents {
  /** Boundary of the deletion. */
  readonly deletion: number;
  readonly source: string;
  readonly events: number;
  readonly bytes: number;
}

/** Why events are missing in a file that are in what it was written from. */
export interface RemovalOfCommit {
  readonly deleted: readonly RemovedEvents[];
  /** How far retention was carried out in it. */
  readonly marks: readonly RetentionMark[];
}

export const nothingTakenOut: RemovalOfCommit = { deleted: [], marks: [] };

/**
 * The list of sealed event files. A file belongs to the store exactly while its record is here, so
 * `commit` is the point at which a rewritten file takes the place of what it was written from.
 * An adapter must make each call one durable transaction.
 */
export interface FileManifest {
  /** Every record, in ascending order of `number`. */
  load(): Promise<readonly SealedFileRecord[]>;
  /**
   * Adds a file in the place of those that it was written from, counts what deletions removed, and moves the
   * marks of retention on, never back.
   * With null those are dropped: their events, and those of all that was merged into them, are gone.
   */
  commit(added: SealedFileRecord | null, replacedNumbers: readonly number[], removal?: RemovalOfCommit): Promise<void>;
  remove(number: number): Promise<void>;
  /** Marks a file as damaged, or with null as whole again. Nothing where there is no record. */
  mark(number: number, damage: FileDamage | null): Promise<void>;
  /** Numbers of dropped files, which may still lie in the folder; ascending. */
  loadDropped(): Promise<readonly number[]>;
  /** Forgets dropped files that lie in the folder no more. */
  forgetDropped(numbers: readonly number[]): Promise<void>;
  /** Notes that all arrival numbers (eventLog.ts) below `end` may be given to events; never fewer than before. */
  reserveArrivals(end: number): Promise<void>;
  /** What was reserved; 0 where nothing was. */
  loadArrivals(): Promise<number>;
}
