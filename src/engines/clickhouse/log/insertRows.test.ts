import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { answeredFailure } from '../connection/failure.ts';
import type { Shards } from '../connection/shards.ts';
import { defaultClickHouseSettings } from '../settings.ts';
import { InsertRows, insertSettings, insertStatement } from './insertRows.ts';

describe('an INSERT', () => {
  it('names its columns and its format', () => {
    expect(insertStatement('`logs`.`app_logs`', ['id', 'a`b'])).toBe(
      'INSERT INTO `logs`.`app_logs` (`id`, `a\\`b`) FORMAT RowBinary',
    );
  });

  it('is one block with a token, and waits for a quorum only where there are replicas', () => {
    const single = {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: 'token',
      max_insert_block_size: 10_000,
      min_insert_block_size_rows: 0,
      min_insert_block_size_bytes: 0,
      input_format_parallel_parsing: 0,
      max_partitions_per_insert_block: 0,
      max_execution_time: 15,
      timeout_overflow_mode: 'throw',
      wait_end_of_query: 1,
    };
    expect(insertSettings('token', defaultClickHouseSettings, false)).toEqual(single);
    const quorum = { insert_quorum_parallel: 1, insert_quorum_timeout: 15_000 };
    expect(insertSettings('token', defaultClickHouseSettings, true)).toEqual({
      ...single,
      ...quorum,
      insert_quorum: 'auto',
    });
    expect(insertSettings('token', { ...defaultClickHouseSettings, quorum: 3 }, true)).toMatchObject({
      insert_quorum: '3',
    });
  });

  it('that fails for good says nothing of the rows that ClickHouse repeats', async () => {
    const failure = answeredFailure(
      500,
      6,
      `Code: 6. DB::Exception: Cannot parse string '${'anna '.repeat(1000)}' as UInt8: before: anna 1: while pushing to view logs.theirs. (CANNOT_PARSE_TEXT)`,
    );
    const rows = new InsertRows({
      servers: {
        ask: (work: (server: unknown) => Promise<void>) => work({ text: () => Promise.reject(failure) }),
      } as unknown as ClickHouseServers,
      shards: () => ({ serversOf: () => new Set(['a']) }) as unknown as Shards,
      settings: defaultClickHouseSettings,
      isReplicated: false,
      timer: new ManualTimer(),
    });
    const insert = { table: 't', columns: [], shard: 0, body: Buffer.alloc(0), token: 'token' };
    await expect(rows.store([insert])).rejects.toThrow(
      /DB::Exception: Cannot parse string '…' as UInt8: … \(CANNOT_PARSE_TEXT\)$/,
    );
  });
});
