import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

const runs = 150;

let store: ConformanceStore;
beforeAll(async () => {
  store = await ConformanceStore.open({ withHotColumns: true, isSealed: true });
});
afterAll(() => store.close());

const written = (row: unknown): string => JSON.stringify(row);
const rowsOf = async (sql: string): Promise<readonly string[]> => (await store.run(sql)).rows.map(written).toSorted();

describe(onEngine('a table of one row of constants answers as one of which planning knows nothing'), () => {
  const constants = fc.record({
    s: fc.constantFrom("'e3'", "'none'", 'cast(null as string)', "if(1 = 1, 'e2', 'x')", "concat('e', '4')"),
    n: fc.constantFrom('0', '1', '404', 'cast(null as int64)', 'length("four")'),
    since: fc.constantFrom(
      "timestamp '2026-05-01 10:30:00'",
      'timestamp_sub(current_timestamp(), interval 31 day)',
      'cast(null as timestamp)',
    ),
    list: fc.constantFrom("['e1', 'e4', null]", 'cast([] as array<string>)', "['e2']"),
    pair: fc.constantFrom("struct('e5' as i, 3 as n)", 'struct(cast(null as string) as i, 1 as n)'),
    b: fc.constantFrom('true', 'false', 'cast(null as bool)'),
  });
  const columns = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, sql]) => `${sql} as ${name}`)
      .join(', ');

  const condition = fc.constantFrom(
    'e.id = p.s',
    'e.id > p.s or p.s is null',
    'e.timestamp >= p.since',
    'e.timestamp < p.since and p.b',
    'e.id in unnest(p.list)',
    'e.id = p.pair.i',
    'e.metadata.response.status_code > p.n',
    'not p.b',
    'p.b is null or e.id < p.pair.i',
    'e.timestamp >= (select since from p)',
    'exists (select 1 from p as q where q.s = e.id)',
    'e.id in (select s from p)',
  );
  const from = fc.oneof(
    fc.constantFrom('p cross join edge_logs as e', 'edge_logs as e, p', '(select * from p) as p, edge_logs as e'),
    fc
      .tuple(
        fc.constantFrom('join', 'left join', 'right join', 'full join'),
        fc.boolean(),
        condition.filter((sql) => !sql.includes('select')),
      )
      .map(([join, isFirst, on]) => `${isFirst ? `p ${join} edge_logs as e` : `edge_logs as e ${join} p`} on ${on}`),
    condition
      .filter((sql) => !sql.includes('select'))
      .map((on) => `edge_logs as e left join (select p.*, a.id as other from p, auth_logs as a) as p on ${on}`),
  );
  const select = fc.constantFrom(
    'select e.id, p.s, p.n, p.since, p.b, p.list, p.pair from {from} where {where}',
    'select p.* from {from} where {where}',
    'select distinct p.s, p.pair.n, e.metadata.request.method as m from {from} where {where}',
    'select p.s, count(*) as c, max(e.id) as m, max(p.n) as x, count(p.b) as y from {from} where {where} group by p.s',
    'select p.s, p.n, e.metadata.request.method as m, count(*) as c, grouping(p.n) as g from {from} where {where} group by rollup (p.s, p.n, m)',
    'select e.id, row_number() over (partition by p.s order by p.n, e.id) as r, lag(p.s) over (order by e.id) as l from {from} where {where}',
    'select e.id, (select max(a.id) from auth_logs as a where a.timestamp >= p.since) as a, (select s from p limit 1) as f from {from} where {where}',
    'select e.id, x from {from} cross join unnest(p.list) as x where {where}',
    'select id from (select e.id, p.n from {from} where {where} union all select s, n from p) where id is not null order by n',
    'select case when p.b then e.id else p.s end as v, if(p.b, p.n, 7) as w, coalesce(p.s, e.id) as u from {from} where {where}',
  );

  it('whatever reads it', async () => {
    await fc.assert(
      fc.asyncProperty(constants, select, from, condition, async (values, form, tables, where) => {
        const query = form.replace('{from}', tables).replace('{where}', where);
        const list = columns(values);
        const known = await rowsOf(`with p as (select ${list}) ${query}`);
        const unknown = await rowsOf(
          `with p as (select ${list} union all select ${list} from edge_logs where id = 'none') ${query}`,
        );
        expect(known).toEqual(unknown);
      }),
      { numRuns: runs },
    );
  });
});

describe(onEngine('some columns of a query are those columns of all that it gives'), () => {
  const inner = fc.constantFrom(
    `select id as a, metadata.request.method as b, metadata.response.status_code as c, timestamp as d from edge_logs`,
    `select metadata.request.method as a, count(*) as b, max(id) as c, min(timestamp) as d from edge_logs group by a`,
    `select count(*) as a, max(id) as b, min(timestamp) as c, countif(id > 'e3') as d from edge_logs`,
    `select event_message as a, id as b, count(*) as c, grouping(id) as d from edge_logs group by rollup (event_message, id)`,
    `select id as a, row_number() over (order by id) as b, count(*) over (partition by metadata.request.method) as c, lag(id) over (order by id) as d from edge_logs`,
    `select distinct metadata.request.method as a, metadata.response.status_code as b, 1 as c, id > 'e4' as d from edge_logs`,
    `select id as a, event_message as b, 'edge' as c, 1 as d from edge_logs union all select id, event_message, 'auth', 2 from auth_logs`,
    `select id as a, metadata.request.method as b, 1 as c, 2 as d from edge_logs except distinct select id, 'GET', 1, 2 from edge_logs`,
    `select e.id as a, f.id as b, f.timestamp as c, e.timestamp as d from edge_logs e left join function_edge_logs f on e.id = f.id`,
    `select id as a, x as b, o as c, metadata.request as d from edge_logs cross join unnest(['p', 'q']) as x with offset as o`,
    `select metadata.request.method as a, array_agg(id order by id) as b, sum(length(id)) as c, max(timestamp) as d from edge_logs group by a having c > 2`,
    `select id as a, timestamp as b, length(id) as c, event_message as d from edge_logs qualify rank() over (order by timestamp) < 4`,
    `select id as a, timestamp as b, upper(id) as c, metadata as d from edge_logs order by timestamp, id limit 3`,
  );
  const around = fc.constantFrom(
    'with t as ({inner}) select {columns} from t',
    'select {columns} from ({inner}) as t',
    'with t as ({inner}), u as (select * from t) select {columns} from u as t',
    "with t as ({inner}) select {columns} from t left join (select 'none' as k) as n on n.k = 'other'",
    'with t as ({inner}), n as (select count(*) as n from t) select {columns} from t cross join n',
    'with t as (select * from ({inner}) limit 1000 offset 0) select {columns} from t',
  );
  const all = ['a', 'b', 'c', 'd'];
  const some = fc.subarray(all, { minLength: 1 });

  it('and its rows are as many', async () => {
    await fc.assert(
      fc.asyncProperty(inner, around, some, async (query, form, columns) => {
        const text = (list: readonly string[]) =>
          form.replace('{inner}', query).replace('{columns}', list.map((name) => `t.${name}`).join(', '));
        const every = (await store.run(text(all))).rows;
        const projected = every.map((row) => written(Object.fromEntries(columns.map((name) => [name, row[name]]))));
        expect(await rowsOf(text(columns))).toEqual(projected.toSorted());
        const counted = (await store.run(`select count(*) as n from (${text(columns)})`)).rows;
        expect(counted).toEqual([{ n: every.length }]);
      }),
      { numRuns: runs },
    );
  });
});
