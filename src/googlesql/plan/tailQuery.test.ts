import { describe, expect, it } from 'vitest';
import { stored } from './plan.fixture.ts';
import { tailedQuery } from './tailQuery.ts';

const logs = 'sources.edge_logs';

const refusalOf = (sql: string) => {
  const tailed = tailedQuery(stored(sql));
  return 'construct' in tailed ? tailed.construct : null;
};

describe('tailedQuery', () => {
  it.each([
    ['JOIN', `select a.id from ${logs} as a join ${logs} as b on a.id = b.id`],
    ['GROUP BY', `select t.id, count(*) as n from ${logs} as t group by t.id`],
    ['an aggregate function', `select count(*) as n from ${logs} as t`],
    ['the window function ROW_NUMBER', `select row_number() over (order by t.id) as n from ${logs} as t`],
    ['DISTINCT', `select distinct t.id from ${logs} as t`],
    ['UNION DISTINCT', `select t.id from ${logs} as t union distinct select t.id from ${logs} as t`],
    ['EXCEPT DISTINCT', `select t.id from ${logs} as t except distinct select 'x'`],
    ['SELECT without events', 'select 1 as x'],
    ['SELECT without events', `select t.id from ${logs} as t union all select 'x'`],
    ['a LIMIT or OFFSET of a table or subquery', `select x.id from (select t.id from ${logs} as t limit 5) as x`],
    ['a subquery over a table', `select t.id from ${logs} as t where t.id in (select o.id from ${logs} as o)`],
    ['a function with another result at each run, such as RAND', `select rand() as x from ${logs} as t`],
    ['GROUP BY', `with g as (select t.id from ${logs} as t group by t.id) select id from g`],
  ])('refuses %s', (construct, sql) => {
    expect(refusalOf(sql)).toBe(construct);
  });

  it.each([
    ['filters and columns', `select upper(t.id) as x from ${logs} as t where t.timestamp > current_timestamp()`],
    ['members of arrays', `select m.path from ${logs} as t cross join unnest(t.metadata.request) as m`],
    [
      'a table that other tables do not make wrong',
      `with a as (select count(*) as n from ${logs}), b as (select id from ${logs}) select id from b`,
    ],
    ['the sum of an array in a row', `select (select count(*) from unnest([1, 2]) as x) as n from ${logs} as t`],
    ['an order that nothing depends on', `select x.id from (select t.id from ${logs} as t order by t.id) as x`],
  ])('takes %s', (_title, sql) => {
    expect(refusalOf(sql)).toBeNull();
  });

  it('names every source of a UNION ALL, and says that the outer order and limit do not apply', () => {
    const tailed = tailedQuery(
      stored(`select t.id from ${logs} as t union all select t.id from sources.auth_logs as t order by id limit 5`),
    );
    if ('construct' in tailed) throw new Error(tailed.construct);
    expect([...tailed.sources]).toEqual(['edge_logs', 'auth_logs']);
    expect(tailed.notices.map(({ code }) => code)).toEqual(['tail.order_dropped', 'tail.limit_dropped']);
    expect(tailed.query.outerLimit).toBeNull();
  });
});
