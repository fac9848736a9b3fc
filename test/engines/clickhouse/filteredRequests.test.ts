import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerRequest } from '../../../src/engines/clickhouse/connection/clickhouseServer.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { recorded } from './recordedServers.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

describe.skipIf(!hasClickHouse)('every request that reads events', () => {
  let test: TestClickHouseStorage;
  const sent: ServerRequest[] = [];
  beforeAll(async () => {
    test = await startedTestStorage({}, (side) => ({
      ...side,
      servers: recorded(side.servers, (request) => void sent.push(request)),
    }));
    const append = async (source: string, timestampMicros: number) => {
      const hot = (sources.get(source)?.hotColumns ?? []).map(() => null);
      const event = (id: string, project: string): StoredEvent => ({
        ...{ id, timestampMicros, project, eventMessage: '', metadata: null, hot, irregular: [] },
      });
      const events = [event('own', 'p'), event('theirs', 'q')];
      await test.storage.log.append({ source, events, identity: null });
    };
    await append('rest_api_logs', startMicros);
    await append('auth_logs', Date.parse('0001-01-01') * 1000);
    const { commit } = await test.ledger.begin('dead', [{ identity: null, events: 1 }], test.clock.nowMicros());
    await test.clickhouse.run(
      `INSERT INTO ${test.place.database}.rest_api_logs (id, timestamp, project, event_message, arrival_number) VALUES ('uncommitted', fromUnixTimestamp64Micro(${startMicros}, 'UTC'), 'p', '', ${commit})`,
    );
  });
  afterAll(async () => {
    await test.close();
  });

  it.each([
    ['returns rows as they are', 'select t.id from sources.rest_api_logs as t order by t.timestamp limit 9'],
    ['returns groups', 'select t.id, count(*) as n from sources.rest_api_logs as t group by t.id'],
    ['is one of two', 'select upper(t.id) as id from sources.rest_api_logs as t order by id'],
    [
      'joins in ClickHouse',
      'select t.id, count(*) as n from sources.rest_api_logs as t join sources.auth_logs as a on a.id = t.id group by t.id',
    ],
    [
      'unites in ClickHouse',
      "select t.id from sources.rest_api_logs as t union all select t.id from sources.auth_logs as t where t.id = 'none' order by id limit 9",
    ],
    [
      'fetches for a join',
      'select t.id from sources.rest_api_logs as t left join sources.auth_logs as a on a.id = t.id',
    ],
    ['finds facts', 'select timestamp_add(t.timestamp, interval 1 day) as time, t.id from sources.auth_logs as t'],
  ])('is filtered by ClickHouse apart from its text, if it %s', async (_, sql) => {
    const query = compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });
    const call = { parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
    const request = { ...call, query, redaction: null, rowsMax: 1000, bytesMax: 2 ** 20 };
    sent.length = 0;
    const result = await test.storage.queries.run(request, new AbortController().signal);
    const ids = (JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as { readonly id: string }[]).map(
      ({ id }) => id,
    );
    expect(ids.map((id) => id.toLowerCase())).toEqual(['own']);
    expect(sent.some(({ statement }) => statement.includes('out_outer'))).toBe(sql.includes('timestamp_add'));
    expect(sent.some(({ statement }) => statement.includes('INNER JOIN'))).toBe(sql.includes(' as t join '));
    expect(sent.length).toBeGreaterThan(0);
    for (const { statement, settings } of sent) {
      const filters = String(settings?.additional_table_filters);
      for (const [, table] of statement.matchAll(/FROM `\w+`\.`(\w+)`/g)) expect(filters).toContain(`${table}'`);
      expect(filters).toContain("project = \\'p\\'");
      expect(filters).not.toContain("\\'q\\'");
      expect(settings?.readonly).toBe(1);
    }
  });
});
