import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/core/losslessJson.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

describe.skipIf(!hasClickHouse)('a UNION ALL that ClickHouse computes', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await startedTestStorage();
    // All at the same time, so that only their arrival puts them in order.
    await append('edge_logs', ['e1', 'e2'], '{"response":{"status_code":404}}');
    await append('auth_logs', ['a1'], '{}');
    await append('edge_logs', ['e3'], '{"response":{"status_code":"404"}}');
    await append('database_logs', ['d1', 'd2'], '{}');
    await append('auth_logs', ['a2'], '{}');
  });
  afterAll(async () => {
    await test.close();
  });

  async function append(name: string, ids: readonly string[], metadata: string): Promise<void> {
    const { values: hot, irregular } = hotCells(parseJson(metadata) as never, sources.get(name)?.hotColumns ?? []);
    const events = ['p', 'q'].flatMap((project) =>
      ids.map((id): StoredEvent => {
        const event = {
          timestampMicros: startMicros - 1_000,
          project,
          eventMessage: project,
          metadata,
          hot,
          irregular,
        };
        return { id: `${project}-${id}`, ...event };
      }),
    );
    await test.storage.log.append({ source: name, events, identity: null });
  }

  const requestOf = (sql: string) => {
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const bounds = { rowsMax: query.outerLimit ?? 1000, bytesMax: 2 ** 24 };
    const call = { parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
    return { ...call, ...bounds, query, redaction: null };
  };
  async function run(sql: string) {
    const result = await test.storage.queries.run(requestOf(sql), new AbortController().signal);
    return { ...result, shown: JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as Record<string, unknown>[] };
  }

  const arms = ['edge_logs', 'auth_logs', 'database_logs'].map(
    (name) => `select t.id, t.timestamp from sources.${name} as t`,
  );

  it('returns the newest rows of all sources in the order of their arrival, and none of another project', async () => {
    const { shown, rowsScanned } = await run(`${arms.join(' union all ')} order by timestamp desc limit 5`);
    expect(shown.map(({ id }) => id)).toEqual(['p-a2', 'p-d2', 'p-d1', 'p-e3', 'p-a1']);
    expect(rowsScanned).toBe(6);
  });

  it('finds irregular events of an arm', async () => {
    const where = 'where t.metadata.response.status_code = 404';
    const { shown } = await run(`${arms[0]} ${where} union all ${arms[1]} ${where} order by timestamp desc limit 5`);
    expect(shown.map(({ id }) => id)).toEqual(['p-e3', 'p-e2', 'p-e1']);
  });

  it('counts the events of groups', async () => {
    const counted = 'select count(*) as n, max(u.id) as last from';
    const { shown, rowsScanned } = await run(`${counted} (${arms.join(' union all ')}) as u`);
    expect(shown).toEqual([{ n: 7, last: 'p-e3' }]);
    expect(rowsScanned).toBe(7);
    const ofArms = arms.map((arm) => `select max(u.id) as last from (${arm}) as u`).join(' union all ');
    const each = await run(`${ofArms} order by last limit 9`);
    expect(each.shown.map(({ last }) => last)).toEqual(['p-a2', 'p-d2', 'p-e3']);
    expect(each.rowsScanned).toBe(7);
  });

  it('is one statement, which a dry run shows', async () => {
    const request = requestOf(`${arms.join(' union all ')} order by timestamp desc limit 5`);
    const { statement, plan } = await test.storage.queries.explain(request, new AbortController().signal);
    expect(statement.match(/-- (?:ClickHouse|DuckDB)/g)).toEqual(['-- ClickHouse']);
    expect(statement).toContain('UNION ALL');
    expect(plan).toContain('Union');
  });
});
