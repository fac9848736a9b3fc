import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';
import { storageVariants } from './storageVariants.ts';

/** Pipe syntax against standard syntax that means the same (GoogleSQL, "Pipe query syntax"). Ordered where both are. */
const pairs: readonly (readonly [title: string, pipe: string, standard: string])[] = [
  ['FROM alone', 'from auth_logs', 'select * from auth_logs'],
  ['WHERE', "from edge_logs |> where id > 'e5'", "select * from edge_logs where id > 'e5'"],
  [
    'WHERE sees the alias of FROM',
    "from edge_logs as t |> where t.metadata.request.method = 'GET' |> select t.id",
    "select id from edge_logs where metadata.request.method = 'GET'",
  ],
  [
    'WHERE with a window function',
    'from edge_logs |> where row_number() over (order by timestamp desc) <= 2 |> select id',
    'select id from edge_logs qualify row_number() over (order by timestamp desc) <= 2',
  ],
  [
    'WHERE behind AGGREGATE is HAVING',
    'from edge_logs |> aggregate count(*) as n group by metadata.request.method as m |> where n > 1',
    'select metadata.request.method as m, count(*) as n from edge_logs group by m having n > 1',
  ],
  ['SELECT', 'from edge_logs |> select id, upper(id) as u', 'select id, upper(id) as u from edge_logs'],
  [
    'SELECT DISTINCT',
    'from edge_logs |> select distinct metadata.request.method',
    'select distinct metadata.request.method from edge_logs',
  ],
  [
    'SELECT with a named window',
    'from edge_logs |> select id, rank() over w as r window w as (order by id desc) |> order by r',
    'select id, rank() over w as r from edge_logs window w as (order by id desc) order by r',
  ],
  [
    'SELECT AS STRUCT',
    'from edge_logs |> select as struct id, length(id) as n',
    'select as struct id, length(id) as n from edge_logs',
  ],
  [
    'SELECT star with EXCEPT, after which nothing else is there',
    'from edge_logs |> select * except (metadata, timestamp) |> select *',
    'select id, event_message from edge_logs',
  ],
  [
    'EXTEND adds behind the columns that are there',
    'from auth_logs |> extend length(id) as n, upper(id) as u |> drop metadata',
    'select * except (metadata), length(id) as n, upper(id) as u from auth_logs',
  ],
  [
    'EXTEND: what it adds is not part of the alias',
    'from auth_logs as t |> extend 1 as one |> select t.*, one |> drop metadata',
    'select t.* except (metadata), 1 as one from auth_logs t',
  ],
  [
    'EXTEND with a window function',
    'from edge_logs |> extend lag(id) over (order by timestamp) as before |> select id, before',
    'select id, lag(id) over (order by timestamp) as before from edge_logs',
  ],
  [
    'EXTEND twice, the second on the first',
    'from edge_logs |> extend length(event_message) as n |> extend n * 2 as twice |> where twice > 70 |> select id, twice',
    'select id, length(event_message) * 2 as twice from edge_logs where length(event_message) > 35',
  ],
  [
    'WINDOW',
    'from edge_logs |> window count(*) over (partition by metadata.request.method) as n |> select id, n',
    'select id, count(*) over (partition by metadata.request.method) as n from edge_logs',
  ],
  [
    'SET keeps the place of the column and its value behind the alias',
    'from auth_logs as t |> drop metadata, event_message |> set ID = upper(id) |> extend t.id as before',
    'select * except (metadata, event_message) replace (upper(id) as id), id as before from auth_logs',
  ],
  [
    'SET of two columns reads both as they were',
    'from (select 1 as a, 2 as b) |> set a = b, b = a',
    'select 2 as a, 1 as b',
  ],
  [
    'SET of an unnested value',
    "from unnest(['x', 'y']) as v |> set v = upper(v)",
    "select upper(v) as v from unnest(['x', 'y']) as v",
  ],
  ['DROP', 'from auth_logs |> drop metadata, timestamp', 'select * except (metadata, timestamp) from auth_logs'],
  [
    'DROP: behind the alias the column is still there',
    "from auth_logs as t |> drop id, metadata, timestamp |> where t.id = 'e2'",
    "select event_message from auth_logs where id = 'e2'",
  ],
  [
    'DROP of one of two columns of a name drops both',
    'from auth_logs a, function_logs b |> drop metadata, event_message, timestamp |> extend 1 as one |> drop id',
    'select 1 as one from auth_logs, function_logs',
  ],
  [
    'RENAME',
    'from auth_logs as t |> rename id as ident, event_message msg |> drop metadata, timestamp |> where ident = t.id',
    'select id as ident, event_message as msg from auth_logs',
  ],
  ['RENAME that swaps', 'from (select 1 as a, 2 as b) |> rename a as b, b as a', 'select 1 as b, 2 as a'],
  [
    'AS',
    'from edge_logs |> select id, length(id) as n |> as t |> where t.n = 2 |> select t.*',
    'select id, length(id) as n from edge_logs',
  ],
  [
    'AGGREGATE of everything',
    'from edge_logs |> aggregate count(*) as n, max(id)',
    'select count(*) as n, max(id) from edge_logs',
  ],
  [
    'AGGREGATE with expressions around aggregates',
    'from edge_logs |> aggregate count(*) + 1 as n, upper(max(id)) as m group by substr(id, 1, 1) as c',
    'select substr(id, 1, 1) as c, count(*) + 1 as n, upper(max(id)) as m from edge_logs group by c',
  ],
  [
    'AGGREGATE with groupings only',
    'from edge_logs |> aggregate group by metadata.request.method',
    'select metadata.request.method from edge_logs group by 1',
  ],
  [
    'AGGREGATE over no rows',
    'from edge_logs |> where false |> aggregate count(*) as n, max(id) as m',
    'select count(*) as n, max(id) as m from edge_logs where false',
  ],
  [
    'GROUP AND ORDER BY',
    'from edge_logs |> aggregate count(*) as n group and order by metadata.request.method as m desc',
    'select metadata.request.method as m, count(*) as n from edge_logs group by m order by m desc',
  ],
  [
    'directions order by groupings first, then by aggregates',
    'from edge_logs |> aggregate max(id) as top desc group by length(metadata.request.method) as n asc, metadata.request.method as m',
    'select length(metadata.request.method) as n, metadata.request.method as m, max(id) as top from edge_logs group by n, m order by n, top desc',
  ],
  [
    'DISTINCT',
    'from edge_logs |> select length(id) as n |> distinct',
    'select distinct length(id) as n from edge_logs',
  ],
  [
    'DISTINCT keeps the aliases of what is listed',
    "from auth_logs as t |> drop metadata, event_message, timestamp |> distinct |> where t.id > 'a1'",
    "select distinct id from auth_logs where id > 'a1'",
  ],
  [
    'ORDER BY an expression',
    'from edge_logs |> order by length(event_message), id |> select id',
    'select id from edge_logs order by length(event_message), id',
  ],
  [
    'ORDER BY a number',
    'from edge_logs |> select id, timestamp |> order by 2 desc',
    'select id, timestamp from edge_logs order by 2 desc',
  ],
  [
    'ORDER BY a window function',
    'from edge_logs |> order by row_number() over (order by id desc) |> select id',
    'select id from edge_logs order by id desc',
  ],
  [
    'ORDER BY holds for what only changes columns or leaves out rows',
    "from edge_logs |> order by timestamp desc |> select id, timestamp |> where id != 'e4' |> extend 1 as one |> rename id as i |> drop timestamp",
    "select id as i, 1 as one from edge_logs where id != 'e4' order by timestamp desc",
  ],
  [
    'LIMIT',
    'from edge_logs |> order by id desc |> limit 2 offset 1 |> select id',
    'select id from edge_logs order by id desc limit 2 offset 1',
  ],
  [
    'LIMIT cuts where it stands',
    "from edge_logs |> order by id |> limit 3 |> where id > 'e1' |> select id",
    "select id from edge_logs where id in ('e2', 'e3') order by id",
  ],
  [
    'JOIN ON',
    'from edge_logs as a |> join function_edge_logs as b on a.id = b.id |> select a.id, b.event_message',
    'select a.id, b.event_message from edge_logs a join function_edge_logs b on a.id = b.id',
  ],
  [
    'LEFT JOIN USING',
    'from edge_logs |> left join function_edge_logs as b using (id) |> select id, b.event_message as m',
    'select id, b.event_message as m from edge_logs left join function_edge_logs b using (id)',
  ],
  [
    'FULL JOIN USING lists the column of both sides once and first',
    'from edge_logs as a |> full join function_edge_logs as b using (id) |> drop metadata, timestamp, event_message',
    'select id from edge_logs full join function_edge_logs using (id)',
  ],
  [
    'CROSS JOIN UNNEST of what is to the left',
    'from edge_logs as t |> cross join unnest(t.metadata) as m |> cross join unnest(m.request) as r |> select id, r.path, method',
    'select id, r.path, method from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) r',
  ],
  [
    'LEFT JOIN UNNEST of what was computed',
    "from edge_logs |> extend split(event_message, ' | ') as parts |> left join unnest(parts) as part with offset as i |> where i = 1 |> select id, part",
    "select id, split(event_message, ' | ')[offset(1)] as part from edge_logs",
  ],
  [
    'JOIN with an alias given before',
    'from edge_logs |> select id, length(event_message) as n |> as a |> join (select id, 1 as one from auth_logs) as b on a.id = b.id',
    'select a.id, length(a.event_message) as n, b.id, 1 as one from edge_logs a join auth_logs b on a.id = b.id',
  ],
  [
    'UNION ALL with several arms',
    "from auth_logs |> select id, 1 as n |> union all (select 'x', 2), (select 'y', null)",
    "select id, 1 as n from auth_logs union all select 'x', 2 union all select 'y', null",
  ],
  [
    'UNION DISTINCT',
    'from edge_logs |> select id |> union distinct (from auth_logs |> select id)',
    'select id from edge_logs union distinct select id from auth_logs',
  ],
  [
    'INTERSECT DISTINCT',
    'from edge_logs |> select id |> intersect distinct (select id from auth_logs)',
    'select id from edge_logs intersect distinct select id from auth_logs',
  ],
  [
    'EXCEPT DISTINCT',
    'from edge_logs |> select id |> except distinct (select id from auth_logs)',
    'select id from edge_logs except distinct select id from auth_logs',
  ],
  [
    'WITH, whose tables build on one another',
    "from edge_logs |> with a as (select 'e1' as id), b as (from a |> extend 2 as two) |> join b using (id) |> select id, two",
    "select id, 2 as two from edge_logs where id = 'e1'",
  ],
  [
    'WITH hides a table of its name from there on',
    'with w as (select 1 as x) from w |> with w as (from w |> extend x + 1 as y) |> cross join w as again |> select again.x, again.y',
    'select 1 as x, 2 as y',
  ],
  [
    'pipes behind SELECT, ORDER BY and LIMIT',
    'select id from edge_logs order by id desc limit 3 |> extend length(id) as n',
    'select id, 2 as n from edge_logs order by id desc limit 3',
  ],
  [
    'pipes behind a set operation',
    "select id from edge_logs union all select id from auth_logs |> where id < 'e2'",
    "select id from edge_logs where id < 'e2' union all select id from auth_logs where id < 'e2'",
  ],
  ['pipes behind parentheses', '(select id from edge_logs) |> aggregate count(*)', 'select count(*) from edge_logs'],
  [
    'pipes in a scalar subquery, correlated',
    'select id, (from auth_logs as a |> where a.id = e.id |> aggregate count(*)) as n from edge_logs e',
    'select id, (select count(*) from auth_logs a where a.id = e.id) as n from edge_logs e',
  ],
  ['pipes in IN', 'select id from edge_logs where id in (from auth_logs |> select id)', "select 'e2' as id"],
  [
    'pipes in EXISTS',
    'select id from edge_logs e where exists (from auth_logs a |> where a.id = e.id)',
    "select 'e2' as id",
  ],
  [
    'pipes in ARRAY',
    'select array(from auth_logs |> order by id desc |> select id) as ids',
    "select ['e2', 'a2', 'a1'] as ids",
  ],
  [
    'pipes in a WITH table and in FROM',
    'with w as (from edge_logs |> aggregate count(*) as n) select w.n, s.m from w, (from auth_logs |> aggregate max(id) as m) as s',
    "select 7 as n, 'e2' as m",
  ],
  [
    'a bound on the timestamp behind EXTEND',
    "from edge_logs |> extend timestamp_trunc(timestamp, hour) as hour |> where timestamp < '2026-05-01 11:00:00' |> aggregate count(*) as n group by hour",
    "select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs where timestamp < '2026-05-01 11:00:00' group by hour",
  ],
];

const refusals: readonly (readonly [title: string, sql: string, code: string, message: string])[] = [
  [
    'an aggregate in WHERE',
    'from edge_logs |> where count(*) > 1',
    'sql.type',
    'The aggregate COUNT is not allowed in |> WHERE (line 1, column 25).',
  ],
  [
    'an aggregate in SELECT',
    'from edge_logs |> select count(*)',
    'sql.type',
    'The aggregate COUNT is not allowed in |> SELECT (use |> AGGREGATE for aggregates) (line 1, column 26).',
  ],
  [
    'a window function in AGGREGATE',
    'from edge_logs |> aggregate max(id) || max(max(id)) over ()',
    'sql.type',
    'The window function MAX is not allowed in |> AGGREGATE (use |> EXTEND for window functions) (line 1, column 40).',
  ],
  [
    'AGGREGATE of a plain column',
    'from edge_logs |> aggregate id',
    'sql.type',
    'Every item of |> AGGREGATE requires an aggregate function; write grouping expressions after GROUP BY (line 1, column 29).',
  ],
  [
    'AGGREGATE of a column that is not grouped',
    'from edge_logs |> aggregate concat(id, max(id)) group by timestamp',
    'sql.type',
    '`id` is neither grouped nor aggregated; add it to GROUP BY, or aggregate it, for example with any_value(…) (line 1, column 29).',
  ],
  [
    'grouping by number',
    'from edge_logs |> aggregate count(*) group by 1',
    'sql.type',
    'GROUP BY in |> AGGREGATE accepts expressions, not column numbers (line 1, column 47).',
  ],
  [
    'grouping by an aggregate',
    'from edge_logs |> aggregate count(*) group by max(id)',
    'sql.type',
    'GROUP BY in |> AGGREGATE cannot contain an aggregate; write it before GROUP BY (line 1, column 47).',
  ],
  [
    'WINDOW without a window function',
    'from edge_logs |> window id as i',
    'sql.type',
    'Every item of |> WINDOW requires a window function with OVER (…) (line 1, column 26).',
  ],
  [
    'a column that is gone',
    'from edge_logs |> drop id |> select id',
    'sql.unknown_name',
    'Unknown column or alias `id` (line 1, column 37).',
  ],
  [
    'an alias that SELECT has left behind',
    'from edge_logs as t |> select id |> where t.id = 1',
    'sql.unknown_name',
    'Unknown column or alias `t` (line 1, column 43).',
  ],
  [
    'an alias that AS has replaced',
    'from edge_logs as t |> as u |> select t.id',
    'sql.unknown_name',
    'Unknown column or alias `t` (line 1, column 39). Did you mean u?',
  ],
  [
    'SET of what is no column',
    'from edge_logs |> set idd = 1',
    'sql.unknown_name',
    '|> SET changes columns; `idd` is not a column of the table before it (line 1, column 23). Did you mean id?',
  ],
  [
    'SET of a table',
    'from edge_logs as t |> set t = 1',
    'sql.unknown_name',
    '|> SET changes columns; `t` is a table alias (line 1, column 28).',
  ],
  [
    'SET of a member',
    'from edge_logs as t, unnest(metadata) as m |> set request = 1',
    'sql.unknown_name',
    '|> SET changes columns; `request` is a member of a column (line 1, column 51).',
  ],
  [
    'SET of one of two columns of a name',
    'from edge_logs a, auth_logs b |> set id = 1',
    'sql.ambiguous_name',
    '`id` is ambiguous: 2 columns have this name, and |> SET can change only one (line 1, column 38).',
  ],
  [
    'SET twice',
    'from edge_logs |> set id = 1, ID = 2',
    'sql.ambiguous_name',
    '|> SET names `ID` twice (line 1, column 31).',
  ],
  [
    'DROP of everything',
    'from (select 1 as a) |> drop a',
    'sql.type',
    '|> DROP removes every column; keep at least one (line 1, column 25).',
  ],
  [
    'RENAME of what is no column',
    'from edge_logs |> rename x as y',
    'sql.unknown_name',
    '|> RENAME changes columns; `x` is not a column of the table before it (line 1, column 26).',
  ],
  [
    'DISTINCT of an array',
    'from edge_logs |> select [id] as ids |> distinct',
    'sql.type',
    '|> DISTINCT cannot compare column `ids` of type ARRAY<STRING> (line 1, column 41).',
  ],
  [
    'ORDER BY a number that is none',
    'from edge_logs |> select id |> order by 2',
    'sql.unknown_name',
    '|> ORDER BY 2 is not a column number; the last column is 1 (line 1, column 41).',
  ],
  [
    'a window that was named elsewhere',
    'from edge_logs |> where count(*) over w > 1',
    'sql.unknown_name',
    'Unknown window w (line 1, column 39).',
  ],
  [
    'a column that EXTEND made ambiguous',
    'from edge_logs |> extend 1 as id |> select id',
    'sql.ambiguous_name',
    '`id` is ambiguous: it could be edge_logs.id or id; qualify it (line 1, column 44).',
  ],
  [
    'a table of WITH before it is there',
    'from w |> with w as (select 1 as x)',
    'sandbox.table',
    "Table `w` is not one of this endpoint's tables (line 1, column 6).",
  ],
  [
    'an engine table behind JOIN',
    'from edge_logs |> join sources.edge_logs on true',
    'sandbox.table',
    "Table `sources.edge_logs` is not one of this endpoint's tables (line 1, column 24). Did you mean edge_logs?",
  ],
  [
    'arms of different widths',
    'from edge_logs |> select id |> union all (select 1, 2)',
    'sql.type',
    'Arm 2 has 2 columns, but the first arm has 1 (line 1, column 42).',
  ],
];

describe.each(storageVariants)(onEngine('pipe syntax: $title'), ({ withHotColumns, isSealed }) => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns, isSealed });
  });
  afterAll(async () => {
    await store.close();
  });

  it.each(pairs)('%s', async (_title, pipe, standard) => {
    const got = await store.run(pipe);
    const want = await store.run(standard);
    expect(want.rows.length).toBeGreaterThan(0);
    expect(got.columns.map(({ name }) => name)).toEqual(want.columns.map(({ name }) => name));
    const isOrdered = /order by [^)]*$/.test(standard);
    const texts = (rows: readonly Record<string, unknown>[]): string[] => rows.map((row) => JSON.stringify(row));
    expect(isOrdered ? texts(got.rows) : texts(got.rows).sort()).toEqual(
      isOrdered ? texts(want.rows) : texts(want.rows).sort(),
    );
  });

  it.each(refusals)('refuses %s', async (_title, sql, code, message) => {
    const failure = await store.run(sql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect([(failure as ServiceError).code, (failure as ServiceError).message]).toEqual([code, message]);
  });
});
