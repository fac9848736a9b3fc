import type { QueryPlan } from '../../../googlesql/plan/queryPlan.ts';
import type { Column, Expr, Relation, ScanRelation, WithTable } from '../../../googlesql/resolve/tree.ts';

/** The table of ClickHouse that holds the events of a source. Its members are SQL, written by us from declarations. */
export interface EventTable {
  /** The FROM item: a quoted name, with its database. */
  readonly from: string;
  /** `String` or `Nullable(String)`; `timestamp` is `DateTime64(6, 'UTC')`, and `metadata` JSON text. */
  readonly columns: Readonly<Record<keyof ScanRelation['columns'], string>>;
  /** A whole number that orders events of equal time, a later arrival higher; null if there is none. */
  readonly arrival: string | null;
  /** By `HotColumn.column`: `Nullable(String)`, `Nullable(Int64)`, `Nullable(Float64)` or, for presence, `Nullable(Bool)`. */
  readonly hot: ReadonlyMap<string, string>;
  /** Conditions on every event that may be read, such as its retention, joined by AND. */
  readonly conditions: readonly string[];
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
  /** JSON as its text, NULL for SQL NULL and for JSON null. */
  | 'json';

export interface FetchedColumn {
  readonly column: Column;
  /** The name of the column in the statement's answer. */
  readonly name: string;
  readonly transport: Transport;
  /**
   * The path of a value that may be personal, from the event's columns on (`['event_message']`,
   * `['metadata', 'request', 'url']`); null for others. With redaction, no other value of such a column may reach a
   * query than the redacted one.
   */
  readonly personal: readonly string[] | null;
}

/** One statement for ClickHouse. Its answer is a table of the rest of the query. */
export interface Fetch {
  /** The table as the rest reads it; `relation` is the part of the query that ClickHouse computes. */
  readonly table: WithTable;
  /** In the order of the statement's select list; one per column of `table`. At least one. */
  readonly columns: readonly FetchedColumn[];
  /** A SELECT without FORMAT or SETTINGS. Values of the call are placeholders `{p0:Type}`. */
  readonly sql: string;
  /** Values of the placeholders, unescaped. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The scans it reads, each of another event table or of the same. */
  readonly scans: readonly ScanRelation[];
  /** pathKeys that the statement trusts to be regular, by the scan's timestamp column. */
  readonly trusted: ReadonlyMap<Column, ReadonlySet<string>>;
  /** Whether it trusts `EventFacts.isReadable`. */
  readonly readsJson: boolean;
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

/** The inputs of `splitPlan(request): SplitPlan` (splitPlan.ts), which is called within `plan.at`. */
export interface SplitRequest {
  readonly plan: QueryPlan;
  tableOf(scan: ScanRelation): EventTable;
  factsOf(scan: ScanRelation): EventFacts;
  /** The most rows of the answer that can be needed: one more than `rowsMax` of the run. */
  readonly rowsNeeded: number;
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
  const read = `"${name}"`;
  switch (transport) {
    case 'plain':
      return `CAST(${read} AS ${plainTypes[column.type.kind] ?? 'VARCHAR'})`;
    case 'micros':
      return column.type.kind === 'TIME' ? `CAST(make_timestamp(${read}) AS TIME)` : `make_timestamp(${read})`;
    case 'days':
      return `CAST(make_timestamp(${read} * 86400000000) AS DATE)`;
    case 'json':
      return `CAST(${read} AS VARCHAR)`;
  }
}

const plainTypes: Readonly<Partial<Record<Column['type']['kind'], string>>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  BOOL: 'BOOLEAN',
};
