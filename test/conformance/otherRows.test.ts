import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { edgeBatch } from '../../src/engines/duckdb/storage.fixture.ts';
import { compileCaller } from '../../src/googlesql/compile.ts';
import type { QueryEngine } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const parameters = new Map([['project', 'string' as const]]);
const stored =
  'with edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs where project = @project) select 1';

/** Filters that fail on the message or the metadata of another project's events, and on those of other times. */
const filters: readonly string[] = [
  'cast(event_message as int64) > 0',
  '10 / cast(event_message as int64) > 0',
  'mod(7, cast(event_message as int64)) >= 0',
  "parse_timestamp('%Y', event_message) > timestamp '0001-01-01'",
  'substr(event_message, 1, cast(event_message as int64)) is not null',
  "regexp_contains('x', if(event_message = '7', 'x', event_message))",
  'cast(metadata.request.path as int64) = 7',
  'array_length(split(event_message, "")) = cast(event_message as int64) - 6',
  'case when cast(event_message as int64) = 7 then true else false end',
  'cast(event_message as int64) in (7, 8) and cast(event_message as int64) between 1 and 9',
  'repeat("x", cast(event_message as int64)) = "xxxxxxx"',
  'id in (select id from edge_logs where cast(event_message as int64) = 7)',
];

describe(onEngine('a filter that fails on events that the query must not see'), () => {
  let test: StorageHarness;
  let engine: QueryEngine;
  beforeAll(async () => {
    test = await engineUnderTest.open();
    const ids = (prefix: string) => Array.from({ length: 3000 }, (_, n) => `${prefix}${n}`);
    const metadata = (path: string) => ({ metadata: `{"request":{"path":"${path}"}}` });
    const hot = (path: string) => ({
      hot: (sources.get('edge_logs')?.hotColumns ?? []).map(({ column }) =>
        column === 'request_path' ? path : column === 'has_request' ? true : null,
      ),
    });
    const own = { project: 'own', eventMessage: '7', ...metadata('7'), ...hot('7') };
    const other = { project: 'other', eventMessage: '[(', ...metadata('[('), ...hot('[(') };
    for (const part of ['a', 'b']) {
      // Another project's events come before and after in every file, whatever its order.
      for (const project of ['between', 'zone', 'aaa'])
        await test.engine.log.append(edgeBatch(ids(`${project}${part}`), { ...other, project }));
      await test.engine.log.append(edgeBatch(ids(`own${part}`), own));
      if (part === 'a') await test.age();
    }
    engine = test.engine.queries;
  });
  afterAll(async () => {
    await test.close();
  });

  async function run(sql: string): Promise<readonly unknown[]> {
    const query = compileCaller(sql, stored, { sources, parameters });
    const result = await engine.run(
      {
        query,
        parameters: new Map([['project', { kind: 'string', value: 'own' }]]),
        projects: null,
        redaction: null,
        nowMicros: 0,
        rowsMax: query.outerLimit ?? 10,
        bytesMax: 2 ** 20,
        profile: 'plain',
      },
      never,
    );
    return JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as unknown[];
  }

  it.each(filters)('does not fail: %s', async (filter) => {
    expect(await run(`select count(*) as n from edge_logs where ${filter}`)).toEqual([{ n: 6000 }]);
    expect(
      await run(`select event_message from edge_logs where ${filter} order by timestamp desc limit 2`),
    ).toHaveLength(2);
    expect(
      await run(
        `select count(*) as n from (select upper(id) as u, event_message, metadata, id from edge_logs) as edge_logs where ${filter}`,
      ),
    ).toEqual([{ n: 6000 }]);
    expect(
      await run(
        `select count(b.id) as n from edge_logs a left join (select * from edge_logs where ${filter}) b on a.id = b.id`,
      ),
    ).toEqual([{ n: 6000 }]);
  });
});
