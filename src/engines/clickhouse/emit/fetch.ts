import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import type { Column, Expr, Relation, ScanRelation, SortKey, WithTable } from '../../../googlesql/resolve/tree.ts';

/** Bounds of the events that a statement reads, whatever else it asks for. */
export type HeldBounds = Pick<ScanBounds, 'projects' | 'fromMicros' | 'toMicros'>;

/** The table of ClickHouse that holds the events of a source. Its members are SQL that we write from declarations. */
export interface EventTable {
  /** The FROM item: a quoted name, with its database. */
  readonly from: string;
  /** Names of columns: `String` or `Nullable(String)`; `timestamp` is `DateTime64(6, 'UTC')`, and `metadata` JSON text. */
  readonly columns: Readonly<Record<keyof ScanRelation['columns'], string>>;
  /** Name of a column of type Int64 that orders events of equal time, a later arrival higher. */
  readonly arrival: string;
  /** By `HotColumn.column`: `Nullable(String)`, `Nullable(Int64)`, `Nullable(Float64)` or, for presence, `Nullable(Bool)`. */
  readonly hot: ReadonlyMap<string, string>;
  /** Conditions on every event that may be read. They come first in WHERE, as they are, joined by AND. */
  readonly conditions: readonly string[];
  /** What these conditions hold the events to; null if that is not known. */
  readonly bounds: HeldBounds | null;
  /**
   * A condition that is never NULL, and TRUE for every event that may be irregular at one of these pathKeys; for
   * `unreadableKey` among them, if ClickHouse may be unable to read its metadata, and for `outerTimeKey`, if its time is near
   * an end of TIMESTAMP.
   */
  readonly isIrregular: (keys: ReadonlySet<string>) => string;
}

/** Facts about the events that a scan can read. A statement is right only if they hold for the rows that it reads. */
export interface EventFacts {
  /** pathKeys at which events may be irregular (sources/source.ts); their typed columns are not read. */
  readonly irregular: ReadonlySet<string>;
  /**
   * Whether ClickHouse's JSON functions can read the metadata of every event (`isReadableJson`). They return nothing at
   * all for a document with an integer beyond 64 bits or a lone surrogate, so that members would seem to be missing.
   */
  readonly isReadable: boolean;
}

/** How the value of a fetched column is written, and thus how DuckDB must read it (`fetchedSql`). */
export type Transport =
  /** INT64 as Int64, FLOAT64 as Float64, BOOL as Bool, STRING as String. */
  | 'plain'
  /** TIMESTAMP and DATETIME as Int64 microseconds since 1970, TIME since midnight. */
  | 'micros'
  /** DATE as Int64 days since 1970. */
  | 'days'
  /** JSON as its text. */
  | 'json'
  /** A JSON scalar as `s` and the text of a string, or `v` and the JSON text of another value. */
  | 'scalar';

export interface FetchedColumn {
  readonly column: Column;
  /** The name of the column in the statement's answer. It begins with `out_`. */
  readonly name: string;
  readonly transport: Transport;
  /**
   * The path of a value that may be personal, from the event's columns on (`['event_message']`,
   * `['metadata', 'request', 'url']`); null for others. With redaction, only the redacted value of such a column may
   * reach the query.
   */
  readonly personal: readonly string[] | null;
}

/** What a number other than 0 in the column `out_check` of a row means. */
export type Check =
  /** The query fails with this error, like SUM beyond INT64. */
  | { readonly kind: 'error'; readonly line: number; readonly column: number; readonly sentence: string }
  /** ClickHouse cannot compute the group as GoogleSQL does. The query is split again with this part in `avoid`. */
  | { readonly kind: 'inexact'; readonly part: AvoidedPart }
  /** An event is irregular where the statement trusts that none is. The query is split again with the facts. */
  | { readonly kind: 'irregular' };

/**
 * Parts that are pushed only if the values permit it; `members`: values of members that are returned without their event;
 * `casts`: casts of members to STRING, which fail for objects and arrays.
 */
export type AvoidedPart = 'json' | 'unnest' | 'members' | 'casts';

/** One statement for ClickHouse. Its answer is a table of the rest of the query. */
export interface Fetch {
  /**
   * The table as the rest reads it, under the name `w` and its id, with columns named `c` and the id of each. Its relation
   * is empty, because no pass over the rest may look into it.
   */
  readonly table: WithTable;
  /** The part of the query that ClickHouse computes. */
  readonly pushed: Relation;
  /** One per column of `table`, in order. At least one. */
  readonly columns: readonly FetchedColumn[];
  /**
   * One SELECT from one table, or from a join of two such SELECTs or a UNION ALL of several, without other subqueries, WITH,
   * FORMAT and SETTINGS. Text of the caller is in it only as literals (`quoteText`).
   */
  readonly sql: string;
  readonly scan: ScanRelation;
  /** The other scans that it reads, by a join or a UNION ALL. */
  readonly others: readonly ScanRelation[];
  /**
   * What n - 1 in the Int64 column `out_check` means for a value of n; 0 is nothing. The check of irregular events is the
   * last one, because what the others find is right only without it. Empty: there is no such column.
   */
  readonly checks: readonly Check[];
  /** Whether the Int64 column `out_events` has the number of events that each row stands for. */
  readonly countsEvents: boolean;
  /** The keys of the order in which ClickHouse returns the rows; null if it returns them in any order. */
  readonly order: readonly SortKey[] | null;
  /** The most rows that it returns; null if only the data bounds them. */
  readonly rowsMax: number | null;
}

/** A part of the query that DuckDB computes over fetched rows, and the reason. */
export interface KeptBack {
  /** Begins with `not pushed: `. It names constructs and functions, never values. */
  readonly reason: string;
  /** Whether more rows are fetched than the answer needs because of it. */
  readonly costsRows: boolean;
}

/** The inputs of `splitPlan`. */
export interface SplitRequest {
  readonly plan: QueryPlan;
  tableOf(scan: ScanRelation): EventTable;
  factsOf(scan: ScanRelation): EventFacts;
  /** The most rows of the answer that can be needed: one more than `rowsMax` of the run. Null for all, as in a stream. */
  readonly rowsNeeded: number | null;
  /** Whether the rows of a table are on the server that runs the statement, so that it can join them. */
  readonly canJoin: boolean;
  readonly avoid?: ReadonlySet<AvoidedPart>;
}

/** A query split into statements for ClickHouse and a rest for DuckDB. */
export interface SplitPlan {
  readonly fetches: readonly Fetch[];
  /** The rest. It reads the tables of `fetches` by `withReference`, and has no scan. */
  readonly relation: Relation;
  /** In the order of `query.columns`, over the columns of `relation`. */
  readonly outputs: readonly Expr[];
  readonly keptBack: readonly KeptBack[];
}

/**
 * DuckDB SQL that reads a fetched column from its file, as the type that DuckDB's emitter expects of the column. JSON stays
 * text here: `Emission.setText` takes it as it is.
 */
export function fetchedSql({ name, transport, column }: FetchedColumn): string {
  switch (transport) {
    case 'plain':
      return `CAST(${name} AS ${plainTypes[column.type.kind] ?? 'VARCHAR'})`;
    case 'micros':
      return column.type.kind === 'TIME' ? `CAST(make_timestamp(${name}) AS TIME)` : `make_timestamp(${name})`;
    case 'days':
      return `CAST(make_timestamp(${name} * 86400000000) AS DATE)`;
    case 'json':
      return `CAST(${name} AS VARCHAR)`;
    case 'scalar':
      return `CASE WHEN starts_with(${name}, 's') THEN CAST(to_json(${name}[2:]) AS VARCHAR) ELSE ${name}[2:] END`;
  }
}

const plainTypes: Readonly<Partial<Record<Column['type']['kind'], string>>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  BOOL: 'BOOLEAN',
};
