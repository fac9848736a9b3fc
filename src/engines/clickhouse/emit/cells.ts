import type { Column, Expr } from '../../../googlesql/resolve/tree.ts';
import type { ScanContext } from './scanContext.ts';

/** A scalar in ClickHouse's SQL, which is valid in any place without parentheses. */
export interface ValueCell {
  readonly kind: 'value';
  /**
   * INT64, and every time, as Int64 (microseconds, or days for a DATE); FLOAT64 as Float64; BOOL as Bool or UInt8;
   * STRING as String; each possibly Nullable.
   */
  readonly sql: string;
  /**
   * The stored column, if ClickHouse compares and sorts it with its index: a DateTime64(6) for a TIMESTAMP, a
   * LowCardinality(String) for a STRING, the Int64 of the arrival. None is ever NULL.
   */
  readonly stored?: string;
  /** Whether a FLOAT64 is neither NaN nor infinite. */
  readonly isFinite: boolean;
  /** `FetchedColumn.personal`. */
  readonly personal?: readonly string[];
  /** Whether `sql` has the type in which the value is fetched. */
  readonly isTyped?: true;
  /** Whether it is a number of events in a group. */
  readonly isCount?: true;
  /** Whether it is the number of all events in a group, of which there is at least one. */
  readonly isGroupSize?: true;
}

/** A member of an event's metadata that is read from its text; an empty path is metadata itself. */
export interface Member {
  readonly path: readonly string[];
  /** Lengths of beginnings of the path at which there is an object, because it was unnested; absent for none. */
  readonly objects?: ReadonlySet<number>;
  /** Of the scan whose events have it. */
  readonly context: ScanContext;
  /** SQL over the columns of that scan's table, as SQL that is valid in this block: above a join, the name of an output below. */
  readonly lift: (sql: string) => string;
}

export interface JsonCell extends Member {
  readonly kind: 'json';
}

/** A JSON value by which rows were grouped, as `Transport` 'scalar' writes it. */
export interface ScalarCell {
  readonly kind: 'scalar';
  readonly sql: string;
}

/** A personal value in a query that reads redacted values: fetched as it is stored, but used for nothing here. */
export interface SealedCell {
  readonly kind: 'sealed';
  readonly sql: string;
  readonly personal: readonly string[];
}

/** A value that the rest computes from other columns. */
export interface DeferredCell {
  readonly kind: 'deferred';
  readonly expr: Expr;
  readonly reason: string;
  /** Nodes of the expression over columns that are not deferred, each as often as it occurs. */
  readonly size: number;
}

/** JSON text that only the rest reads: the metadata of a UNION ALL. */
export interface TextCell {
  readonly kind: 'text';
  readonly sql: string;
}

/** A value that a statement cannot return, for this reason. */
export interface KeptCell {
  readonly kind: 'kept';
  readonly reason: string;
}

export type Cell = ValueCell | JsonCell | ScalarCell | SealedCell | DeferredCell | TextCell | KeptCell;

/** The meaning of columns at one place of a query. */
export type Cells = ReadonlyMap<Column, Cell>;
