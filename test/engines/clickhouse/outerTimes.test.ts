import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const weeks = 'select timestamp_trunc(t.timestamp, week) as week, count(*) as n from sources.rest_api_logs as t';

describe.skipIf(!hasClickHouse)('a week that begins before the year 1', () => {
  let test: TestClickHouseStorage;
  beforeAll(async () => {
    test = await startedTestStorage();
    const event = (project: string, timestampMicros: number): StoredEvent => ({
      ...{ id: project, timestampMicros, project, eventMessage: '', metadata: null, hot: [null], irregular: [] },
    });
    // The time that programs in Go send if they have none.
    const events = [event('p', startMicros), event('q', startMicros), event('q', Date.parse('0001-01-01') * 1000)];
    await test.storage.log.append({ source: 'rest_api_logs', events, identity: null });
  });
  afterAll(async () => {
    await test.close();
  });

  async function rows(project: string): Promise<unknown> {
    const sql = `${weeks} where t.project = '${project}' group by week`;
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const call = { parameters: new Map(), projects: [project], nowMicros: startMicros, profile: 'plain' } as const;
    const request = { ...call, query, redaction: null, rowsMax: 1000, bytesMax: 2 ** 20 };
    const result = await test.storage.queries.run(request, new AbortController().signal);
    return JSON.parse(`[${Buffer.from(result.rows).toString()}]`);
  }

  it('is an error of the query, but not of one over the events of another project', async () => {
    await expect(rows('q')).rejects.toMatchObject({ code: 'sql.data', message: expect.stringMatching(/week.*0001/) });
    expect(await rows('p')).toEqual([{ week: '2023-11-12T00:00:00.000000Z', n: 1 }]);
  });
});
