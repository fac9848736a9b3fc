import { expect, it } from 'vitest';
import { columnsNeverNull } from './neverNull.ts';
import { stored } from './plan.fixture.ts';

/** The output columns that are never NULL. */
function neverNull(sql: string): readonly string[] {
  const { relation, columns } = stored(sql);
  const never = columnsNeverNull(relation);
  return columns.filter(({ column }) => never.isKnown(column)).map(({ name }) => name);
}

const logs = 'sources.edge_logs';

it.each([
  [
    'counts',
    `select count(*) as a, countif(t.id = 'x') as b, count(t.metadata.x) as c from ${logs} as t`,
    ['a', 'b', 'c'],
  ],
  [
    'columns that every event has',
    `select t.id, t.timestamp, t.event_message from ${logs} as t`,
    ['id', 'timestamp', 'event_message'],
  ],
  ['constants', 'select 1 as a, null as b, @project as c', ['a']],
  [
    'places in a window',
    `select row_number() over (order by t.timestamp) as n, lag(t.id) over (order by t.timestamp) as l from ${logs} as t`,
    ['n'],
  ],
  [
    'replaced missing rows of an outer join',
    `with a as (select id, count(*) as n from ${logs} group by id) select a.n, ifnull(a.n, 0) as m from ${logs} as t left join a on a.id = t.id`,
    ['m'],
  ],
  ['what all inputs of a union have', `select count(*) as n, 1 as o from ${logs} union all select 2, null`, ['n']],
])('knows %s', (_title, sql, names) => {
  expect(neverNull(sql)).toEqual(names);
});

it.each([
  ['other aggregates, which are NULL over no rows', `select max(t.timestamp) as a, sum(1) as b from ${logs} as t`],
  [
    'numbers of members, which redaction can make NULL',
    `select ifnull(cast(t.metadata.zip as int64), 0) as z from ${logs} as t`,
  ],
  ['keys of subtotals', `select t.id from ${logs} as t group by rollup (t.id)`],
  [
    'the side of an outer join that may have no row',
    `select o.id from ${logs} as t left join ${logs} as o on o.id = t.id`,
  ],
])('does not take %s for never NULL', (_title, sql) => {
  expect(neverNull(sql)).toEqual([]);
});

it('takes no longer for each level of nesting than for the one before', () => {
  const depth = 80;
  const nested = `${'ifnull('.repeat(depth)}t.id${", '')".repeat(depth)}`;
  expect(neverNull(`select ${nested} as a from ${logs} as t`)).toEqual(['a']);
});
