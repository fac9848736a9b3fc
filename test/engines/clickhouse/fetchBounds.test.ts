import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import type { RowSink } from '../../../src/ports/queryEngine.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const fetch = { bytesMax: 2 ** 20, rowsMax: 50_000, streamBytesMax: 2 ** 21 };
const sources = new Map(builtinSources.map((source) => [source.name, source]));

describe.skipIf(!hasClickHouse)('a query that needs more events than may be fetched', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await startedTestStorage(fetch);
    const events = Array.from({ length: 3_000 }, (_, n): StoredEvent => {
      // Text that does not compress.
      const eventMessage = Array.from({ length: 60 }, (_, i) => ((n * 60 + i) ** 3 * 7919).toString(36)).join('');
      const timestampMicros = startMicros - n * 1_000;
      return { id: `${n}`, timestampMicros, project: 'p', eventMessage, metadata: null, hot: [null], irregular: [] };
    });
    await test.storage.log.append({ source: 'rest_api_logs', events, identity: null });
  });
  afterAll(async () => {
    await test.close();
  });

  function requestOf(sql: string) {
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const bounds = { rowsMax: query.outerLimit ?? 1000, bytesMax: 2 ** 24 };
    const call = { parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
    return { ...call, ...bounds, query, redaction: null };
  }

  async function rows(sql: string): Promise<unknown> {
    const result = await test.storage.queries.run(requestOf(sql), new AbortController().signal);
    return JSON.parse(`[${Buffer.from(result.rows).toString()}]`);
  }

  it('is refused, with the parts that ClickHouse does not compute and what the caller can do', async () => {
    await expect(
      rows(`select upper(event_message) as m, count(*) as n from sources.rest_api_logs where project = 'p' group by m`),
    ).rejects.toMatchObject({
      code: 'query.fetch_max',
      message: expect.stringMatching(
        /^The query needs more than 1 MB of events of rest_api_logs from ClickHouse\. ClickHouse does not compute all of it: .*UPPER.*\. Narrow its time range, or filter by more columns\.$/,
      ),
    });
  });

  it('is answered if ClickHouse computes all of it, or the rest needs few events', async () => {
    expect(await rows(`select count(*) as n from sources.rest_api_logs where project = 'p'`)).toEqual([{ n: 3_000 }]);
    expect(
      await rows(
        `select id from sources.rest_api_logs where project = 'p' and upper(id) = '7' order by timestamp desc limit 1`,
      ),
    ).toEqual([{ id: '7' }]);
  });

  it('is streamed from disk up to a bound of its own, and refused beyond it before its first row', async () => {
    const streamed = async (sql: string) => {
      const seen: unknown[] = [];
      const sink: RowSink = {
        begins: ({ rowsScanned }) => void seen.push(rowsScanned),
        rows: async ({ rowCount }) => void seen.push(rowCount),
      };
      const request = { ...requestOf(sql), rowsMax: 10_000 };
      const end = test.storage.queries.stream?.(request, sink, new AbortController().signal);
      const outcome = await end?.catch((error: unknown) => error);
      return { outcome, seen };
    };
    const sql = `select event_message as m from sources.rest_api_logs where project = 'p' order by m`;
    const whole = await streamed(sql);
    expect(whole.outcome).toMatchObject({ rowCount: 3_000, rowsScanned: 3_000 });
    expect(whole.seen[0]).toBe(3_000);
    const twice = `select event_message as m from sources.rest_api_logs where project = 'p'`;
    const more = await streamed([twice, twice, twice].join(' union all '));
    expect(more).toMatchObject({
      outcome: { code: 'query.fetch_max', message: expect.stringContaining('more than 2 MB of events') },
      seen: [],
    });
  });
});
