import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { openTestQueries, sharedClickHouse } from './clickhouseEngine.ts';
import { startMicros, TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

describe.skipIf(!hasClickHouse)('a query that needs more events than may be fetched', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await TestClickHouseStorage.create(await sharedClickHouse(), {
      settings: { freshMs: 0 },
      openQueries: async (side) =>
        await openTestQueries(side, test.removals, () => undefined, {}, { bytesMax: 2 ** 20, rowsMax: 50_000 }),
    });
    await test.start();
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

  async function rows(sql: string): Promise<unknown> {
    const { limits, queries } = test.storage;
    const query = compileStored(sql, { sources, parameters: new Map(), limits });
    const bounds = { rowsMax: query.outerLimit ?? 1000, bytesMax: 2 ** 24 };
    const request = {
      query,
      parameters: new Map(),
      projects: ['p'],
      nowMicros: startMicros,
      profile: 'plain',
    } as const;
    const result = await queries.run({ ...request, ...bounds, redaction: null }, new AbortController().signal);
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
});
