import type { Source } from '../../../sources/source.ts';
import type { ClickHouseSettings } from '../settings.ts';
import { quoteIdentifier, quoteText } from '../sqlText.ts';
import {
  arrivalColumn,
  qualified,
  readTable,
  storedTable,
  type TableColumn,
  type TablePlace,
  tableColumns,
  tableNames,
} from './tableLayout.ts';

/** Microseconds of a week, and of the days from a Monday to 1970-01-01. */
const weekMicros = 604_800_000_000;
const mondayMicros = 259_200_000_000;
/** The last week with a partition of its own, about 2100. Later events, and those before 1970, share two partitions. */
const lastWeek = 6_800;

/** The week of an event, which is its partition: whole weeks since Monday, 1969-12-29. */
export const weekExpression = `toUInt16(least(greatest(intDiv(toUnixTimestamp64Micro(timestamp) + ${mondayMicros}, ${weekMicros}), 0), ${lastWeek}))`;

/**
 * A partition holds only events before this time, in microseconds since 1970; null if there is no such time. `partition` is
 * a value of `weekExpression`.
 */
export function partitionEnd(partition: number): number | null {
  return partition >= lastWeek ? null : (partition + 1) * weekMicros - mondayMicros;
}

type Given = Pick<ClickHouseSettings, 'storagePolicy' | 'cold'>;

/** The statements that make the tables of a source. They do nothing if the tables exist. */
export function createStatements(source: Source, place: TablePlace, settings: Given): readonly string[] {
  const stored = createStored(source, place, settings);
  if (place.cluster === null) return [stored];
  const { stored: name } = tableNames(source.name, place);
  const target = [place.cluster, place.database, name].map(quoteText).join(', ');
  return [
    stored,
    `CREATE TABLE IF NOT EXISTS ${readTable(place, source.name)}${onCluster(place)} AS ${qualified(place, name)} ENGINE = Distributed(${target}, CRC32(project))`,
  ];
}

export function createDatabaseStatement(place: TablePlace): string {
  return `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(place.database)}${onCluster(place)}`;
}

/** Statements that add columns which were declared after the tables were made. */
export function addColumnStatements(
  source: Source,
  place: TablePlace,
  columns: readonly TableColumn[],
): readonly string[] {
  if (columns.length === 0) return [];
  const added = columns.map((column) => `ADD COLUMN IF NOT EXISTS ${declaration(column)}`).join(', ');
  const { read, stored } = tableNames(source.name, place);
  return [...new Set([stored, read])].map(
    (table) => `ALTER TABLE ${qualified(place, table)}${onCluster(place)} ${added}`,
  );
}

function createStored(source: Source, place: TablePlace, { storagePolicy, cold }: Given): string {
  const columns = tableColumns(source).map(declaration);
  // Finds events by number, such as those of an abandoned commit.
  const index = `INDEX arrivals ${arrivalColumn} TYPE minmax GRANULARITY 16`;
  const engine =
    place.cluster === null ? 'MergeTree' : `ReplicatedMergeTree('/clickhouse/tables/{shard}/{uuid}', '{replica}')`;
  const window =
    place.cluster === null
      ? 'non_replicated_deduplication_window = 10000'
      : 'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 3600';
  const move =
    cold === null ? '' : `\nTTL toDateTime(timestamp) + INTERVAL ${cold.days} DAY TO VOLUME ${quoteText(cold.volume)}`;
  const policy = storagePolicy === null ? '' : `, storage_policy = ${quoteText(storagePolicy)}`;
  return `CREATE TABLE IF NOT EXISTS ${storedTable(place, source.name)}${onCluster(place)} (
  ${[...columns, index].join(',\n  ')}
) ENGINE = ${engine}
PARTITION BY ${weekExpression}
PRIMARY KEY (project, timestamp)
ORDER BY (project, timestamp, ${arrivalColumn})${move}
SETTINGS index_granularity = 1024, ${window}, fsync_after_insert = 1, fsync_part_directory = 1${policy}`;
}

function declaration({ name, type, codec }: TableColumn): string {
  return `${quoteIdentifier(name)} ${type}${codec === '' ? '' : ` CODEC(${codec})`}`;
}

/** ` ON CLUSTER …`, or nothing. */
export function onCluster({ cluster }: TablePlace): string {
  return cluster === null ? '' : ` ON CLUSTER ${quoteText(cluster)}`;
}
