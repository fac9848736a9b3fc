import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../sources/shape.ts';
import type { Source } from '../../../sources/source.ts';
import { addColumnStatements, createDatabaseStatement, createStatements, partitionEnd } from './createTable.ts';
import { hotColumn } from './tableLayout.ts';

const source: Source = {
  name: 'app_logs',
  projectField: { kind: 'column' },
  shape: shapeOf({}),
  hotColumns: [
    { column: 'status', path: ['status'], kind: 'int64' },
    { column: 'url', path: ['url'], kind: 'string' },
  ],
};
const columns = `  \`id\` String CODEC(ZSTD(1)),
  \`timestamp\` DateTime64(6, 'UTC') CODEC(T64, LZ4),
  \`project\` LowCardinality(String),
  \`event_message\` String CODEC(ZSTD(3)),
  \`metadata\` Nullable(String) CODEC(ZSTD(3)),
  \`status\` Nullable(Int64),
  \`url\` Nullable(String) CODEC(ZSTD(1)),
  \`irregular\` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  \`hot_columns\` UInt16,
  \`arrival_number\` Int64 CODEC(T64, LZ4),
  INDEX arrivals arrival_number TYPE minmax GRANULARITY 16`;
const week =
  'PARTITION BY toUInt16(least(greatest(intDiv(toUnixTimestamp64Micro(timestamp) + 259200000000, 604800000000), 0), 6800))';
const cluster = { database: 'logs', cluster: 'main' };

describe('the tables of a source', () => {
  it('are one MergeTree on a single server', () => {
    const place = { database: 'logs', cluster: null };
    expect(createStatements(source, place, { storagePolicy: null, cold: null })).toEqual([
      `CREATE TABLE IF NOT EXISTS \`logs\`.\`app_logs\` (
${columns}
) ENGINE = MergeTree
${week}
PRIMARY KEY (project, timestamp)
ORDER BY (project, timestamp, arrival_number)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
    ]);
    expect(createDatabaseStatement(place)).toBe('CREATE DATABASE IF NOT EXISTS `logs`');
  });

  it('are a replicated and a distributed one on a cluster, with its policy and the move to a colder volume', () => {
    expect(createStatements(source, cluster, { storagePolicy: 'tiered', cold: { days: 30, volume: 'cold' } })).toEqual([
      `CREATE TABLE IF NOT EXISTS \`logs\`.\`_stored_app_logs\` ON CLUSTER 'main' (
${columns}
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{uuid}', '{replica}')
${week}
PRIMARY KEY (project, timestamp)
ORDER BY (project, timestamp, arrival_number)
TTL toDateTime(timestamp) + INTERVAL 30 DAY TO VOLUME 'cold'
SETTINGS index_granularity = 1024, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 3600, fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered'`,
      "CREATE TABLE IF NOT EXISTS `logs`.`app_logs` ON CLUSTER 'main' AS `logs`.`_stored_app_logs` ENGINE = Distributed('main', 'logs', '_stored_app_logs', CRC32(project))",
    ]);
    expect(createDatabaseStatement(cluster)).toBe("CREATE DATABASE IF NOT EXISTS `logs` ON CLUSTER 'main'");
  });

  it('get columns that were declared later, the stored table first', () => {
    const added = [hotColumn({ column: 'url', path: ['url'], kind: 'string' })];
    expect(addColumnStatements(source, cluster, added)).toEqual([
      "ALTER TABLE `logs`.`_stored_app_logs` ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS `url` Nullable(String) CODEC(ZSTD(1))",
      "ALTER TABLE `logs`.`app_logs` ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS `url` Nullable(String) CODEC(ZSTD(1))",
    ]);
    expect(addColumnStatements(source, cluster, [])).toEqual([]);
  });

  it('have partitions that end with a Sunday, but for the last one', () => {
    expect(new Date((partitionEnd(0) ?? 0) / 1000).toISOString()).toBe('1970-01-05T00:00:00.000Z');
    expect(new Date((partitionEnd(2811) ?? 0) / 1000).toISOString()).toBe('2023-11-20T00:00:00.000Z');
    expect(partitionEnd(6_800)).toBeNull();
  });
});
