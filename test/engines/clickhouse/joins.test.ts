import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { QueryResult } from '../../../src/ports/queryEngine.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const memoryBytesMax = 64 * 2 ** 20;
const fetch = { bytesMax: 2 ** 20, rowsMax: 50_000, memoryBytesMax };

describe.skipIf(!hasClickHouse)('a join that ClickHouse computes', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await startedTestStorage(fetch);
    const many = Array.from(
      { length: 6_000 },
      (_, n) => [`${n}`, n % 2 === 0 ? 'p' : 'q', messageOf(n), '{}'] as const,
    );
    await append('auth_logs', many);
    await append('edge_logs', [
      ['regular', 'p', messageOf(4), '{"response":{"status_code":404}}'],
      ['irregular', 'p', messageOf(6), '{"response":{"status_code":"200"}}'],
      ['of others', 'q', messageOf(8), '{"response":{"status_code":404}}'],
    ]);
    await append('database_logs', [
      ['a', 'p', '404', '{}'],
      ['b', 'p', '200', '{}'],
      ['c', 'q', '404', '{}'],
    ]);
  });
  afterAll(async () => {
    await test.close();
  });

  /** Text that does not compress. */
  function messageOf(n: number): string {
    return Array.from({ length: 60 }, (_, i) => ((n * 60 + i) ** 3 * 7919).toString(36)).join('');
  }

  async function append(name: string, events: readonly (readonly [string, string, string, string])[]): Promise<void> {
    const hotColumns = sources.get(name)?.hotColumns ?? [];
    const stored = events.map(([id, project, eventMessage, metadata]): StoredEvent => {
      const { values: hot, irregular } = hotCells(parseJson(metadata) as never, hotColumns);
      return { id, timestampMicros: startMicros - 1_000, project, eventMessage, metadata, hot, irregular };
    });
    await test.storage.log.append({ source: name, events: stored, identity: null });
  }

  async function run(sql: string): Promise<QueryResult & { readonly shown: unknown }> {
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const bounds = { rowsMax: query.outerLimit ?? 1000, bytesMax: 2 ** 24 };
    const call = { parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
    const request = { ...call, ...bounds, query, redaction: null };
    const result = await test.storage.queries.run(request, new AbortController().signal);
    return { ...result, shown: JSON.parse(`[${Buffer.from(result.rows).toString()}]`) };
  }

  it('reads more events than may be fetched, and none of another project', async () => {
    const counted = 'select count(*) as n, count(distinct a.id) as l, max(b.project) as p';
    const { shown, rowsScanned } = await run(
      `${counted} from sources.auth_logs as a join sources.auth_logs as b on a.event_message = b.event_message where a.project = 'p' and b.project = 'p'`,
    );
    expect(shown).toEqual([{ n: 3_000, l: 3_000, p: 'p' }]);
    expect(rowsScanned).toBe(6_000);
  });

  it.each([
    'sources.edge_logs as e join sources.database_logs as d',
    'sources.database_logs as d join sources.edge_logs as e',
  ])('finds irregular events on both sides: %s', async (from) => {
    const { shown } = await run(
      `select e.id as e, d.id as d from ${from} on safe_cast(e.metadata.response.status_code as string) = d.event_message order by e desc`,
    );
    expect(shown).toEqual([
      { e: 'regular', d: 'a' },
      { e: 'irregular', d: 'b' },
    ]);
  });

  it('fails if it needs more memory than a SELECT may use', async () => {
    const pairs = `sources.auth_logs as a join sources.auth_logs as b on starts_with(a.id, '') = starts_with(b.id, '')`;
    const sql = `select a.id as l, b.id as r, count(*) as n from ${pairs} group by l, r order by n desc, l, r limit 5`;
    await expect(run(sql)).rejects.toMatchObject({ code: 'query.memory' });
  });
});
