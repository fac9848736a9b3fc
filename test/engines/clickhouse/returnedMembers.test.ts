import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerRequest } from '../../../src/engines/clickhouse/connection/clickhouseServer.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { startedTestStorage } from './clickhouseEngine.ts';
import { recorded } from './recordedServers.ts';
import { startMicros, type TestClickHouseStorage } from './testClickHouseStorage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

describe.skipIf(!hasClickHouse)('members of rows', () => {
  let test: TestClickHouseStorage;
  const sent: ServerRequest[] = [];
  beforeAll(async () => {
    test = await startedTestStorage({}, (side) => ({
      ...side,
      servers: recorded(side.servers, (request) => void sent.push(request)),
    }));
    const hot = (sources.get('auth_logs')?.hotColumns ?? []).map(() => null);
    const events = ['{"a":1.50,"b":"x"}', '{"a":null,"b":[1,{"c":2}]}'].map((metadata, i) => ({
      ...{ id: `${i}`, project: 'p', eventMessage: '', timestampMicros: startMicros, metadata, hot, irregular: [] },
    }));
    await test.storage.log.append({ source: 'auth_logs', events, identity: null });
  });
  afterAll(async () => {
    await test.close();
  });

  const compiled = (sql: string) => compileStored(sql, { sources, parameters: new Map(), limits: test.storage.limits });

  async function run(query: ReturnType<typeof compiled>, project = 'p') {
    const call = { parameters: new Map(), projects: [project], nowMicros: startMicros, profile: 'plain' } as const;
    const request = { ...call, query, redaction: null, rowsMax: 1000, bytesMax: 2 ** 20 };
    sent.length = 0;
    const result = await test.storage.queries.run(request, new AbortController().signal);
    const selects = sent.map(({ statement }) => statement).filter((statement) => statement.includes('auth_logs'));
    return { shown: JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as unknown, selects };
  }

  it('come back without the rest of their event', async () => {
    const { shown, selects } = await run(
      compiled('select t.metadata.a from sources.auth_logs as t order by t.id limit 9'),
    );
    expect(shown).toEqual([{ a: 1.5 }, { a: null }]);
    expect(selects).toHaveLength(1);
    expect(selects[0]).not.toContain('`metadata` AS');
  });

  it('come back with it if one is an object or an array, which the next run of the query knows', async () => {
    const query = compiled('select t.metadata.b from sources.auth_logs as t order by t.id limit 9');
    const expected = [{ b: 'x' }, { b: [1, { c: 2 }] }];
    const first = await run(query);
    expect([first.shown, first.selects.length]).toEqual([expected, 2]);
    const second = await run(query);
    expect([second.shown, second.selects.length]).toEqual([expected, 1]);
    expect(second.selects[0]).toContain('`metadata` AS');
    const ofAnother = await run(query, 'q');
    expect([ofAnother.shown, ofAnother.selects.length]).toEqual([[], 1]);
    expect(ofAnother.selects[0]).not.toContain('`metadata` AS');
  });
});
