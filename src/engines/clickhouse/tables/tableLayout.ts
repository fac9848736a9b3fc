import { assertNever } from '../../../core/assertNever.ts';
import type { HotColumn, Source } from '../../../sources/source.ts';
import { quoteIdentifier } from '../sqlText.ts';

/** A column of a source's table. */
export interface TableColumn {
  readonly name: string;
  /** As `system.columns` writes it. */
  readonly type: string;
  /** The compression; empty for the server's default. */
  readonly codec: string;
}

/**
 * Every query reads the times and arrival numbers of all rows within its bounds. This codec halves what that costs, compared
 * with `Delta(8), ZSTD(1)`, and needs half a percent more bytes of an event.
 */
const numberCodec = 'T64, LZ4';

/** The columns that every event has, in order. The typed columns of the source follow, then `lastColumns`. */
export const firstColumns: readonly TableColumn[] = [
  { name: 'id', type: 'String', codec: 'ZSTD(1)' },
  // Any time within ±(2^53 - 1) µs. Comparisons and `toUnixTimestamp64Micro` are exact; other functions of times
  // are limited to the years 1900 to 2299.
  { name: 'timestamp', type: "DateTime64(6, 'UTC')", codec: numberCodec },
  { name: 'project', type: 'LowCardinality(String)', codec: '' },
  { name: 'event_message', type: 'String', codec: 'ZSTD(3)' },
  // JSON text as it was received; NULL if the event has no metadata.
  { name: 'metadata', type: 'Nullable(String)', codec: 'ZSTD(3)' },
];

/** `pathKey`s (sources/source.ts) of the typed columns at which the event is irregular. */
export const irregularColumn = 'irregular';

/** The arrival number of the event (ports/eventLog.ts). */
export const arrivalColumn = 'arrival_number';

/**
 * How many typed columns the source had for the node that stored the event. Typed columns are only ever added at the end,
 * so those after this number are to be read from `metadata`.
 */
export const hotCountColumn = 'hot_columns';

export const lastColumns: readonly TableColumn[] = [
  { name: irregularColumn, type: 'Array(LowCardinality(String))', codec: 'ZSTD(1)' },
  { name: hotCountColumn, type: 'UInt16', codec: '' },
  { name: arrivalColumn, type: 'Int64', codec: numberCodec },
];

/** The column of a promoted member. */
export function hotColumn(hot: HotColumn): TableColumn {
  return { name: hot.column, type: hotColumnType(hot), codec: hot.kind === 'string' ? 'ZSTD(1)' : '' };
}

function hotColumnType({ kind }: HotColumn): string {
  switch (kind) {
    case 'string':
      return 'Nullable(String)';
    case 'int64':
      return 'Nullable(Int64)';
    case 'float64':
      return 'Nullable(Float64)';
    case 'presence':
      return 'Nullable(Bool)';
    default:
      return assertNever(kind);
  }
}

/** Every column of a source's table, in order. */
export function tableColumns(source: Source): readonly TableColumn[] {
  return [...firstColumns, ...source.hotColumns.map(hotColumn), ...lastColumns];
}

/** Where the tables are. */
export interface TablePlace {
  readonly database: string;
  /** Name of the cluster whose shards and replicas hold the tables; null for a single server. */
  readonly cluster: string | null;
}

/** The names of a source's tables, without their database. They are the same if there is no cluster. */
export interface TableNames {
  /** Queries read this one: with a cluster, all shards. */
  readonly read: string;
  /** Holds the rows of one shard. Events are inserted here, and removed. */
  readonly stored: string;
}

export function tableNames(source: string, { cluster }: TablePlace): TableNames {
  // No source has such a name, because names of sources begin with a letter.
  return { read: source, stored: cluster === null ? source : `_stored_${source}` };
}

/** `` `database`.`table` ``, for statements. */
export function qualified({ database }: TablePlace, table: string): string {
  return `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;
}

/** The table of a source that queries read, for statements. */
export function readTable(place: TablePlace, source: string): string {
  return qualified(place, tableNames(source, place).read);
}

/** The table of a source that holds the rows of one shard, for statements. */
export function storedTable(place: TablePlace, source: string): string {
  return qualified(place, tableNames(source, place).stored);
}
