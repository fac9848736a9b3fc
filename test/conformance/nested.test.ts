import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { compileCaller } from '../../src/googlesql/compile.ts';
import type { QueryEngine, ValuesProfile } from '../../src/ports/queryEngine.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../src/sources/builtin.ts';
import { engineUnderTest, never, onEngine } from '../support/enginesUnderTest.ts';
import { ingestOf } from './ingestOf.ts';

/**
 * The nested data model (googlesql.md, section 2), on events as ingestion stores them. Project
 * `plain` holds only events of the declared shape, so that typed columns answer; `mixed` holds
 * every irregular form, so that metadata does.
 */
const plain = [
  {
    id: 'a',
    metadata: {
      request: { method: 'GET', path: '/a', headers: { x_real_ip: '1.1.1.1' } },
      response: { status_code: 200, origin_time: 12.5 },
    },
  },
  { id: 'b', metadata: { request: { method: 'POST', path: '/b' }, response: { status_code: 500 } } },
  { id: 'c', metadata: { request: { method: 'GET', path: '/c' }, response: null } },
  { id: 'd', metadata: { request: {} } },
  { id: 'e', metadata: {} },
  { id: 'f' },
] as const;

const mixed = [
  { id: 'a', metadata: { request: { method: 'GET', path: '/a' }, response: { status_code: 200 } } },
  { id: 'b', metadata: { request: { method: 'PUT' }, response: { status_code: '200' } } },
  {
    id: 'c',
    metadata: { request: [{ method: 'ONE', headers: { x_real_ip: '9.9.9.9' } }], response: { status_code: 404.5 } },
  },
  { id: 'd', metadata: { request: [{ method: 'TWO' }, { method: 'THREE' }], response: { status_code: 'many' } } },
  { id: 'e', metadata: { request: [], response: { status_code: true } } },
  { id: 'f', metadata: { response: { status_code: '1e3' } } },
  {
    id: 'g',
    metadata: {
      custom: { deep: { list: [3, 1, 2], names: ['x', 'y'] }, flag: true, 'odd key*': 7 },
      query_id: '__BIG__',
    },
  },
];

const broken = [{ id: 'a', metadata: { request: 'text' } }];

const startMicros = Date.UTC(2026, 4, 1, 10) * 1000;

function body(project: string, events: readonly { readonly id: string }[]): Uint8Array {
  const lines = events.map((event, i) =>
    JSON.stringify({ ...event, project, timestamp: startMicros + i * 1_000_000, event_message: `m ${event.id}` }),
  );
  return Buffer.from(`[${lines.join(',')}]`.replace('"__BIG__"', '-9007199254740993'));
}

const stored = `with edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs where project = @project) select 1`;

interface Answer {
  readonly rows: readonly (readonly unknown[])[];
  readonly text: string;
}

describe.each([{ place: 'active file' }, { place: 'sealed file' }])(
  onEngine('nested values in an $place'),
  ({ place }) => {
    let test: StorageHarness;
    let engine: QueryEngine;

    beforeAll(async () => {
      test = await engineUnderTest.open();
      test.clock.setMicros(startMicros + 3_600_000_000);
      const ingest = ingestOf(test);
      for (const [project, events] of Object.entries({ plain, mixed, broken })) {
        await ingest('edge_logs', body(project, events));
      }
      if (place === 'sealed file') await test.age();
      engine = test.engine.queries;
    });
    afterAll(async () => {
      await test.close();
    });

    async function run(project: string, sql: string, profile: ValuesProfile = 'plain'): Promise<Answer> {
      const query = compileCaller(sql, stored, {
        sources: new Map(builtinSources.map((source) => [source.name, source])),
        parameters: new Map([['project', 'string']]),
      });
      const result = await engine.run(
        {
          query,
          parameters: new Map([['project', { kind: 'string', value: project }]]),
          projects: null,
          redaction: null,
          nowMicros: test.clock.nowMicros(),
          rowsMax: 1000,
          bytesMax: 2 ** 24,
          profile,
        },
        never,
      );
      const text = `[${Buffer.from(result.rows).toString()}]`;
      const rows = (JSON.parse(text) as Record<string, unknown>[]).map((row) => Object.values(row));
      return { rows, text };
    }

    const both = 'cross join unnest(metadata) as m cross join unnest(m.request) as r';

    it.each<[string, string, unknown[][]]>([
      [
        'CROSS JOIN UNNEST of metadata drops rows without it',
        'select id from edge_logs cross join unnest(metadata) as m order by id',
        [['a'], ['b'], ['c'], ['d'], ['e']],
      ],
      [
        'a missing object drops the row, an empty one keeps it',
        `select id from edge_logs ${both} order by id`,
        [['a'], ['b'], ['c'], ['d']],
      ],
      [
        'LEFT JOIN UNNEST keeps every row',
        'select id, r.method from edge_logs left join unnest(metadata) as m on true left join unnest(m.request) as r on true order by id',
        [
          ['a', 'GET'],
          ['b', 'POST'],
          ['c', 'GET'],
          ['d', null],
          ['e', null],
          ['f', null],
        ],
      ],
      [
        'LEFT JOIN UNNEST may leave out ON',
        'select count(*) from edge_logs left join unnest(metadata) m left join unnest(m.response) x',
        [[6]],
      ],
      [
        'INNER JOIN UNNEST is a cross join',
        'select count(*) from edge_logs inner join unnest(metadata) as m inner join unnest(m.request) as r',
        [[4]],
      ],
      [
        'a comma joins, and parentheses may stand around the tree',
        'select count(*) from (edge_logs t cross join unnest(t.metadata) as m), unnest(m.request) as r',
        [[4]],
      ],
      [
        'an alias may shadow the column',
        'select id, request.path from edge_logs cross join unnest(metadata) as metadata cross join unnest(metadata.request) as request where request.path is not null order by id',
        [
          ['a', '/a'],
          ['b', '/b'],
          ['c', '/c'],
        ],
      ],
      [
        'a bare field of an earlier alias can be unnested',
        'select x_real_ip from edge_logs cross join unnest(metadata) as m cross join unnest(request) as r cross join unnest(headers) as h',
        [['1.1.1.1']],
      ],
      [
        'UNNEST(COALESCE(x, [])) is UNNEST(x)',
        'select count(*) from edge_logs cross join unnest(coalesce(metadata, [])) as m cross join unnest(ifnull(m.request, [])) as r',
        [[4]],
      ],
      [
        'bare fields are found by the known shape',
        `select id, method, status_code from edge_logs ${both} left join unnest(m.response) as s where status_code >= 500`,
        [['b', 'POST', 500]],
      ],
      ['a full path needs no UNNEST', "select id from edge_logs where metadata.request.path = '/a'", [['a']]],
      [
        'a qualified full path works too',
        'select t.metadata.response.status_code from edge_logs as t where t.id = "b"',
        [[500]],
      ],
      [
        'array access reads the one-element form',
        'select metadata[offset(0)].request[safe_offset(0)].path, metadata[0].request[0].path from edge_logs where id = "a"',
        [['/a', '/a']],
      ],
      [
        'an unknown nested member is NULL',
        'select m.nothing, m.request.nor.this from edge_logs cross join unnest(metadata) as m where id = "a"',
        [[null, null]],
      ],
      [
        'a missing object IS NULL, so IS NOT NULL is false',
        'select id from edge_logs cross join unnest(metadata) as m where m.response is not null order by id',
        [['a'], ['b']],
      ],
      [
        'x.* expands to the known members',
        'select r.* from edge_logs cross join unnest(metadata) m cross join unnest(m.request) r where id = "b"',
        [['POST', '/b', null, null, null, null, null, null, null]],
      ],
      ['a top-level column wins over a member of its name', 'select timestamp from database_free where false', []],
      [
        'compared with a number a value is read as a number',
        'select id from edge_logs where metadata.response.status_code >= 500 or metadata.response.origin_time < 13',
        [['a'], ['b']],
      ],
      [
        'aggregates read numbers',
        'select sum(metadata.response.status_code), avg(metadata.response.status_code), max(metadata.response.status_code), approx_quantiles(metadata.response.status_code, 2)[offset(1)] from edge_logs',
        [[700, 350, 500, 200]],
      ],
      [
        'to_json_string sees plain objects',
        'select to_json_string(metadata) from edge_logs where id = "d"',
        [['{"request":{}}']],
      ],
      [
        'json_value works on metadata',
        "select json_value(metadata, '$.request.method') from edge_logs where id = 'b'",
        [['POST']],
      ],
      [
        'grouping by a member',
        'select metadata.request.method as k, count(*) as n from edge_logs group by k order by n desc, k',
        [
          [null, 3],
          ['GET', 2],
          ['POST', 1],
        ],
      ],
      [
        'a member grouped by can be read another way',
        'select upper(metadata.request.method), count(*) from edge_logs where metadata.request.method is not null group by metadata.request.method order by 1',
        [
          ['GET', 2],
          ['POST', 1],
        ],
      ],
      [
        'a subquery passes members on',
        'select p from (select metadata.request.path as p from edge_logs) where p like "/%" order by p',
        [['/a'], ['/b'], ['/c']],
      ],
      [
        'a member survives a window and a limit',
        'select id, m.request.path, n from (select id, metadata as m, row_number() over (order by timestamp desc) as n from edge_logs) where n = 6',
        [['a', '/a', 6]],
      ],
    ])('%s', async (title, sql, want) => {
      if (title.startsWith('a top-level column wins')) {
        const { rows } = await run(
          'plain',
          'select timestamp from edge_logs cross join unnest(metadata) as m where id = "a"',
        );
        expect(rows).toEqual([['2026-05-01T10:00:00.000000Z']]);
        return;
      }
      const { rows } = await run('plain', sql);
      const sorted = /order by/.test(sql) ? rows : [...rows].sort();
      expect(sorted).toEqual(want);
    });

    it.each<[string, string, unknown[][]]>([
      [
        'compared with text, a stored 200 and "200" match',
        "select id from edge_logs where metadata.response.status_code = '200' order by id",
        [['a'], ['b']],
      ],
      [
        'compared with a number, a stored 200 and "200" match',
        'select id from edge_logs where metadata.response.status_code = 200 order by id',
        [['a'], ['b']],
      ],
      [
        'a fraction is not cut to compare',
        'select id from edge_logs where metadata.response.status_code > 404 order by id',
        [['c'], ['f']],
      ],
      [
        'what cannot be read as a number is NULL, never an error',
        'select count(*), count(metadata.response.status_code), sum(metadata.response.status_code) from edge_logs',
        [[7, 6, 1804.5]],
      ],
      [
        'a bare select gives the JSON value',
        'select metadata.response.status_code from edge_logs order by id',
        [[200], ['200'], [404.5], ['many'], [true], ['1e3'], [null]],
      ],
      [
        'grouping is by JSON value: 200 is not "200"',
        "select count(*) from edge_logs where metadata.response.status_code = '200' group by metadata.response.status_code",
        [[1], [1]],
      ],
      [
        'order puts numbers before text',
        "select metadata.response.status_code as s from edge_logs where id in ('a', 'b', 'c', 'd') order by s",
        [[200], [404.5], ['200'], ['many']],
      ],
      [
        'min and max use that order',
        "select min(metadata.response.status_code), max(metadata.response.status_code) from edge_logs where id in ('a', 'b', 'c', 'd')",
        [[200, 'many']],
      ],
      [
        'UNNEST of a real array gives its elements',
        `select id, r.method from edge_logs ${both} order by id, r.method`,
        [
          ['a', 'GET'],
          ['b', 'PUT'],
          ['c', 'ONE'],
          ['d', 'THREE'],
          ['d', 'TWO'],
        ],
      ],
      [
        'WITH OFFSET counts the elements of a nested array',
        `select r.method, o from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r with offset as o where id = 'd' order by o`,
        [
          ['TWO', 0],
          ['THREE', 1],
        ],
      ],
      [
        'a path through an array of one reads its element, of several is NULL',
        'select id, metadata.request.method from edge_logs where id in ("c", "d") order by id',
        [
          ['c', 'ONE'],
          ['d', null],
        ],
      ],
      [
        'an element of a real array, and an object as an array of one',
        'select id, metadata.request[safe_offset(0)].method, metadata.request[safe_ordinal(2)].method from edge_logs where id in ("a", "c", "d") order by id',
        [
          ['a', 'GET', null],
          ['c', 'ONE', null],
          ['d', 'TWO', 'THREE'],
        ],
      ],
      [
        'a deeper path through an array of one',
        'select metadata.request.headers.x_real_ip from edge_logs where id = "c"',
        [['9.9.9.9']],
      ],
      [
        'unknown members are reached by a qualifier',
        "select m.custom.deep.list[offset(1)], m.custom.flag, m.custom.`odd key*` from edge_logs cross join unnest(metadata) m where id = 'g'",
        [[1, true, 7]],
      ],
      [
        'real arrays unnest to scalars',
        'select d from edge_logs cross join unnest(metadata) m cross join unnest(m.custom.deep.names) as d order by 1',
        [['x'], ['y']],
      ],
      [
        'IN UNNEST looks into a nested array',
        "select id from edge_logs where 'y' in unnest(metadata.custom.deep.names)",
        [['g']],
      ],
      [
        'array_length counts a nested array',
        "select array_length(metadata.custom.deep.list) from edge_logs where id = 'g'",
        [[3]],
      ],
      [
        '64-bit integers compare exactly',
        'select id from edge_logs where metadata.query_id = -9007199254740993',
        [['g']],
      ],
      [
        '64-bit integers do not equal their neighbour',
        'select id from edge_logs where metadata.query_id = -9007199254740992',
        [],
      ],
      [
        'safe_cast gives NULL where cast would fail',
        "select safe_cast(metadata.response.status_code as int64) from edge_logs where id in ('a', 'b', 'd') order by id",
        [[200], [200], [null]],
      ],
      [
        'two nested values compare as numbers if both are',
        "select count(*) from edge_logs a join edge_logs b on a.metadata.response.status_code = b.metadata.response.status_code where a.id = 'a'",
        [[2]],
      ],
    ])('%s (irregular events)', async (_title, sql, want) => {
      const { rows } = await run('mixed', sql);
      const sorted = /order by/.test(sql) ? rows : [...rows].sort();
      expect(sorted).toEqual(want);
    });

    it('64-bit integers survive unchanged', async () => {
      const { text } = await run('mixed', "select metadata.query_id as q from edge_logs where id = 'g'");
      expect(text).toBe('[{"q":-9007199254740993}]');
    });

    it('selecting the alias or the row gives the object', async () => {
      const { text } = await run(
        'plain',
        "select m as metadata, t as raw from edge_logs t cross join unnest(t.metadata) m where id = 'd'",
      );
      expect(JSON.parse(text)).toEqual([
        {
          metadata: { request: {} },
          raw: { id: 'd', timestamp: '2026-05-01T10:00:03.000000Z', event_message: 'm d', metadata: { request: {} } },
        },
      ]);
    });

    it('the records profile wraps every record, but not a row, an alias or a STRUCT', async () => {
      const { text } = await run(
        'plain',
        "select timestamp, metadata, m as alias, struct(metadata as x) as s from edge_logs cross join unnest(metadata) m where id = 'c'",
        'records',
      );
      const record = [{ request: [{ method: 'GET', path: '/c' }], response: null }];
      expect(JSON.parse(text)).toEqual([
        { timestamp: 1777629602000000, metadata: record, alias: record[0], s: { x: record } },
      ]);
    });

    it.each([
      [
        'UNNEST of a scalar',
        'broken',
        'select count(*) from edge_logs cross join unnest(metadata) m cross join unnest(m.request) r',
        'sql.data',
        /UNNEST/,
      ],
      [
        'CAST of a value that is no number',
        'mixed',
        'select cast(metadata.response.status_code as int64) from edge_logs',
        'sql.data',
        /metadata\.response\.status_code.*SAFE_CAST/,
      ],
      [
        'division by zero',
        'plain',
        'select 1 / (metadata.response.status_code - 200) from edge_logs',
        'sql.data',
        /zero/i,
      ],
      [
        'an offset out of range',
        'mixed',
        "select metadata.custom.deep.list[offset(9)] from edge_logs where id = 'g'",
        'sql.data',
        /out of (range|bounds)|beyond|offset/i,
      ],
      [
        'an unknown column',
        'plain',
        'select event_mesage from edge_logs',
        'sql.unknown_name',
        /Did you mean event_message/,
      ],
      [
        'a bare name of two unnested objects',
        'plain',
        'select headers from edge_logs cross join unnest(metadata) m cross join unnest(m.request) r cross join unnest(m.response) s',
        'sql.ambiguous_name',
        /r\.headers or s\.headers/,
      ],
      ['a field of a text column', 'plain', 'select event_message.level from edge_logs', 'sql.type', /json_value/],
      [
        'text compared with a typed number',
        'plain',
        "select length(id) = '1' from edge_logs",
        'sql.type',
        /cannot be compared/,
      ],
    ])('%s is an error that helps', async (_title, project, sql, code, words) => {
      const failure = await run(project, sql).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ServiceError);
      expect((failure as ServiceError).code).toBe(code);
      expect((failure as ServiceError).message).toMatch(words);
      expect((failure as ServiceError).errors[0]).toMatchObject({ line: 1, column: expect.any(Number) });
    });
  },
);
