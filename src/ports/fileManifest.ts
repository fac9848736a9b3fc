import type { RetentionMark } from '../retention/retentionMark.ts';

/** The events that a sealed segment holds of one source, by project. The arrays are parallel. */
export interface SealedSourceRecord {
  readonly source: string;
  /** In ascending order of UTF-16 code units, without duplicates. */
  readonly projects: readonly string[];
  /** Per project: first and last event time, microseconds since 1970. */
  readonly firstMicros: readonly number[];
  readonly lastMicros: readonly number[];
  /** Per project: number of events, at least 1. */
  readonly counts: readonly number[];
  /**
   * Per project: the value of `project_ordinal` in its rows (tableLayout.ts). Absent in segments that were written
   * before there were ordinals.
   */
  readonly ordinals?: readonly number[];
  /** Typed columns of the segment's table as [name, type]. If absent, those that the source declares. */
  readonly hotColumns?: readonly (readonly [name: string, type: string])[];
  /**
   * By typed column, a filter of the runs of letters and digits in its texts, except for names of their project
   * (engines/duckdb/files/fragmentFilter.ts). A column without one may contain any.
   */
  readonly filters?: readonly (readonly [column: string, filter: string])[];
  /** Lowest and highest arrival number (eventLog.ts) of its events; absent if none has one. */
  readonly arrivals?: readonly [first: number, last: number];
  /** Number of its events that were stored before there were arrival numbers; absent if that is all of them or none. */
  readonly unnumbered?: number;
  /** Irregular paths (sources/source.ts, HotColumn) as [index into `projects`, `pathKey`]. */
  readonly irregular: readonly (readonly [projectIndex: number, pathKey: string])[];
}

/** A sealed segment: immutable, one table per source, sorted by project and time. */
export interface SealedFileRecord {
  /** Unique among all segments; the file is `sealed-<number>.duckdb`. */
  readonly number: number;
  readonly bytes: number;
  readonly events: number;
  readonly sealedMicros: number;
  readonly sources: readonly SealedSourceRecord[];
  /**
   * Numbers of all segments that were ever merged into it, directly or not. If one is still in the folder after a
   * crash, its events are here.
   */
  readonly mergedFrom: readonly number[];
  /**
   * The highest token (eventDeletion.ts) of the deletions that it has applied: it holds no event that a deletion up to
   * this token deletes. Absent in segments that were written before there were deletions.
   */
  readonly clearedTo?: number;
  /** Set if the segment was found damaged: it is quarantined and not read, and its events are missing from answers. */
  readonly damage?: FileDamage;
}

export interface FileDamage {
  /** Its name in quarantine. */
  readonly file: string;
  /** How it is damaged, for the operator. */
  readonly reason: string;
  /** When the damage was found, microseconds since 1970. */
  readonly foundMicros: number;
}

/** Events of a deletion that a segment no longer holds, and about how many bytes they took. */
export interface RemovedEvents {
  /** Token of the deletion. */
  readonly deletion: number;
  readonly source: string;
  readonly events: number;
  readonly bytes: number;
}

/** Events that a new segment lacks although its inputs held them, and why. */
export interface RemovalOfCommit {
  readonly deleted: readonly RemovedEvents[];
  /** How far retention was applied in it. */
  readonly marks: readonly RetentionMark[];
}

export const nothingTakenOut: RemovalOfCommit = { deleted: [], marks: [] };

/**
 * The manifest of sealed segments. A segment is stored exactly while its record is here, so `commit` is the moment at
 * which a rewritten segment replaces its inputs. An adapter must make each call one durable transaction.
 */
export interface FileManifest {
  /** Returns every record, in ascending order of `number`. */
  load(): Promise<readonly SealedFileRecord[]>;
  /**
   * Adds a segment in place of its inputs, counts the events that deletions removed, and moves the marks of retention
   * forward, never back. With null, the inputs are dropped: their events, and those of all segments merged into them,
   * are gone.
   */
  commit(added: SealedFileRecord | null, replacedNumbers: readonly number[], removal?: RemovalOfCommit): Promise<void>;
  remove(number: number): Promise<void>;
  /** Marks a segment as damaged, or with null as undamaged again. Does nothing if there is no record. */
  mark(number: number, damage: FileDamage | null): Promise<void>;
  /** Numbers of dropped segments that may still be in the folder, ascending. */
  loadDropped(): Promise<readonly number[]>;
  /** Forgets dropped segments that are no longer in the folder. */
  forgetDropped(numbers: readonly number[]): Promise<void>;
  /** Records that all arrival numbers (eventLog.ts) below `end` may be given to events; never lowers the bound. */
  reserveArrivals(end: number): Promise<void>;
  /** The reserved bound; 0 if nothing was reserved. */
  loadArrivals(): Promise<number>;
}
