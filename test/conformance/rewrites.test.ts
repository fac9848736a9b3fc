import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

/** What planning and emission rewrite must mean the same afterwards. Answers are worked out by hand. */
const answers: readonly (readonly [title: string, sql: string, rows: readonly (readonly unknown[])[]])[] = [
  [
    'an aggregate in HAVING reads the column where an alias of its name is an aggregate',
    'select count(id) as id from edge_logs having count(id) > 1',
    [[7]],
  ],
  [
    'an aggregate in ORDER BY reads the column where an alias of its name is an aggregate',
    'select min(timestamp) as timestamp, metadata.request.method as m from edge_logs group by m order by max(timestamp) desc limit 2',
    [
      ['2026-05-02T00:00:00.000000Z', 'HEAD'],
      ['2026-05-01T10:00:01.000000Z', 'GET'],
    ],
  ],
  [
    'ORDER BY of SELECT DISTINCT takes the selected column however it is written',
    'select distinct t.metadata.request.method from edge_logs t order by t.metadata.request.method',
    [['GET'], ['HEAD'], ['PATCH'], ['POST']],
  ],
  [
    'ORDER BY of SELECT DISTINCT takes a selected expression',
    'select distinct upper(id) from edge_logs order by upper(id) desc limit 2',
    [['E7'], ['E6']],
  ],
  ['a path of any length is read', `select metadata${'.step'.repeat(90)} from edge_logs limit 1`, [[null]]],
  [
    'GREATEST and LEAST of many nested values',
    `select greatest(${Array.from({ length: 20 }, () => 'metadata.response.status_code').join(', ')}) as g, least(metadata.response.status_code, metadata.response.origin_time), greatest(metadata.request.method, metadata.nothing) from edge_logs where id = 'e2'`,
    [[201, 30.5, null]],
  ],
  [
    'casts inside one another',
    `select ${'cast(cast('.repeat(15)}length(id)${' as string) as int64)'.repeat(15)} from edge_logs where id = 'e1'`,
    [[2]],
  ],
  [
    'ON of LEFT JOIN UNNEST may ask something of the row',
    "select id, r.method from edge_logs t cross join unnest(t.metadata) m left join unnest(m.request) r on t.id < 'e3' order by id limit 3",
    [
      ['e1', 'GET'],
      ['e2', 'POST'],
      ['e3', null],
    ],
  ],
  [
    'ON of LEFT JOIN UNNEST may ask something of the row, the element and its offset',
    "select id, y, o from edge_logs t left join unnest(['a', 'b']) y with offset o on o = 1 and y = 'b' and t.id < 'e2' order by id limit 2",
    [
      ['e1', 'b', 1],
      ['e2', null, null],
    ],
  ],
  [
    'a RANGE frame measures along a nested value read as a number',
    'select id, count(*) over (order by metadata.response.status_code range between 5 preceding and 5 following) from edge_logs order by id',
    [
      ['e1', 2],
      ['e2', 2],
      ['e3', 1],
      ['e4', 2],
      ['e5', 2],
      ['e6', 2],
      ['e7', 2],
    ],
  ],
  [
    'structs are equal field by field, in three-valued logic',
    "select (1, 'a') = (1, 'a'), (1, null) = (1, null), (1, null) != (2, null), (1, 2) in ((1, 2), (3, 4)), (1, null) in ((2, 3))",
    [[true, null, true, true, false]],
  ],
  [
    'a table that is read twice keeps the order of the query above it',
    'with x as (select id, count(*) over () as n from edge_logs) select a.id, b.n from x a join x b on a.id = b.id order by a.id desc limit 2',
    [
      ['e7', 7],
      ['e6', 7],
    ],
  ],
  [
    'a bound on one reading of a table leaves the other reading alone',
    "select count(*) from edge_logs a, edge_logs b where a.timestamp < '2026-05-01 10:30:00'",
    [[14]],
  ],
  [
    'a bound in ON of a left join leaves the left side alone',
    "select count(*), count(b.id) from edge_logs a left join function_edge_logs b on a.id = b.id and a.timestamp > '2026-05-02'",
    [[7, 0]],
  ],
  [
    'IS NULL on the right side of a left join is no bound',
    'select count(*) from edge_logs a left join function_edge_logs b on a.id = b.id where b.timestamp is null',
    [[6]],
  ],
  [
    'a literal below an outer join is NULL in rows that the join makes up',
    "select count(*), count(b.flag) from edge_logs a left join (select id, flag from (select id, 'yes' as flag from function_edge_logs)) b on a.id = b.id",
    [[7, 1]],
  ],
  [
    'two keys of ROLLUP that are the same constant are two',
    "with k as (select 'x' as a, 'x' as b) select a, b, grouping(b), count(*) from k, edge_logs group by rollup (a, b) order by a, b",
    [
      [null, null, 1, 7],
      ['x', null, 1, 7],
      ['x', 'x', 0, 7],
    ],
  ],
  [
    'GROUPING asks about a nested value and about a call',
    'select metadata.request.method as m, upper(substr(id, 1, 1)) as u, grouping(metadata.request.method) as g, grouping(upper(substr(id, 1, 1))) as h, count(*) from edge_logs group by rollup (m, u) order by g, h, m, u',
    [
      ['GET', 'E', 0, 0, 4],
      ['HEAD', 'E', 0, 0, 1],
      ['PATCH', 'E', 0, 0, 1],
      ['POST', 'E', 0, 0, 1],
      ['GET', null, 0, 1, 4],
      ['HEAD', null, 0, 1, 1],
      ['PATCH', null, 0, 1, 1],
      ['POST', null, 0, 1, 1],
      [null, null, 1, 1, 7],
    ],
  ],
  [
    'a correlated subquery sees the column of a projection that was removed',
    "select u.i, (select count(*) from edge_logs e where e.id < u.i) from (select id as i from edge_logs) u where u.i < 'e3' order by 1",
    [
      ['e1', 0],
      ['e2', 1],
    ],
  ],
  [
    'IN with nested values on both sides compares them as = does: numbers with their text',
    'select id from edge_logs where metadata.response.status_code in (select metadata.status from auth_logs) order by id',
    [['e1'], ['e4']],
  ],
  [
    'NOT IN with nested values on both sides compares them as <> does',
    'select id from edge_logs where metadata.response.status_code not in (select metadata.status from auth_logs) order by id',
    [['e2'], ['e3'], ['e5']],
  ],
  [
    'a join of nested values finds equal numbers however they are written, and text that is written like a number',
    `with x as (select n, parse_json(v) as j from unnest([struct(1 as n, '12' as v), (2, '12.0'), (3, '"12"'), (4, '"12.0"'), (5, '-0'), (6, '0'), (7, '9007199254740993'), (8, '9007199254740992')])) select a.n, string_agg(cast(b.n as string), ' ' order by b.n) from x a join x b on a.j = b.j group by 1 order by 1`,
    [
      [1, '1 2 3'],
      [2, '1 2 4'],
      [3, '1 3'],
      [4, '2 4'],
      [5, '5 6'],
      [6, '5 6'],
      [7, '7'],
      [8, '8'],
    ],
  ],
  [
    'whole numbers beyond 2^53 keep their order in ORDER BY, before text',
    "select y from (select parse_json('9007199254740993') x, 1 y union all select parse_json('9007199254740992'), 2 union all select parse_json('1.5'), 3 union all select parse_json('\"a\"'), 4) order by x",
    [[3], [2], [1], [4]],
  ],
  [
    'MAX_BY and MIN_BY tell whole numbers beyond 2^53 apart',
    "select max_by(y, x), min_by(y, x), string_agg(cast(y as string), ',' order by x desc) from (select parse_json('9007199254740993') x, 1 y union all select parse_json('9007199254740992'), 2)",
    [[1, 2, '1,2']],
  ],
];

const refusals: readonly (readonly [title: string, sql: string, code: string, words: RegExp])[] = [
  [
    'a window function of an alias that is a window function',
    'select row_number() over (order by timestamp) as rn from edge_logs qualify row_number() over (order by rn) = 1',
    'sql.unknown_name',
    /rn/,
  ],
  [
    'a WITH table that reaches for a name of the enclosing query',
    'select t.id, (with x as (select t.id as i) select count(*) from x a, x b) from edge_logs t',
    'sql.unknown_name',
    /`t`/,
  ],
  [
    'operands that multiply inside one another',
    `select count(*) from edge_logs where ${'('.repeat(40)}id between 'a' and 'b'${') between true and true'.repeat(40)}`,
    'sql.too_complex',
    /^The expression is too large/,
  ],
  [
    'a RANGE frame with a distance over a timestamp',
    'select count(*) over (order by timestamp range between 5 preceding and current row) from edge_logs',
    'sql.type',
    /unix_seconds/,
  ],
  ['the order of structs', 'select (1, 2) < (1, 3)', 'sql.type', /no order/],
];

const variants = [
  { title: 'active file, members read from metadata', withHotColumns: false, isSealed: false },
  { title: 'active file, members in typed columns', withHotColumns: true, isSealed: false },
  { title: 'sealed file, members read from metadata', withHotColumns: false, isSealed: true },
  { title: 'sealed file, members in typed columns', withHotColumns: true, isSealed: true },
];

describe.each(variants)(onEngine('rewrites keep the meaning: $title'), ({ withHotColumns, isSealed }) => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns, isSealed });
  });
  afterAll(async () => {
    await store.close();
  });

  it.each(answers)('%s', async (_title, sql, rows) => {
    const answer = await store.run(sql);
    expect(answer.rows.map((row) => Object.values(row))).toEqual(rows);
  });

  it.each(refusals)('refuses %s', async (_title, sql, code, words) => {
    const failure = await store.run(sql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).code).toBe(code);
    expect((failure as ServiceError).message).toMatch(words);
  });
});
