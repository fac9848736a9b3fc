import { describe, expect, it } from 'vitest';
import { stored } from './plan.fixture.ts';
import { sourcesOfSameRows } from './repeatableRows.ts';

const logs = 'sources.edge_logs';
const byPath = `select t.event_message as m, count(*) as n from ${logs} as t group by m`;

describe('sourcesOfSameRows', () => {
  it.each([
    ['newest events', `select id, timestamp from ${logs} order by timestamp desc limit 100`],
    ['events in any order that arrivals complete', `select id from ${logs} order by event_message`],
    ['events of tables', `with a as (select id, timestamp as t from ${logs}) select id from a order by t limit 5`],
    ['a time that a literal fixes', `select id from ${logs} where timestamp > '2026-01-01' order by timestamp`],
    ['one row', `select count(*) as n, min(t.timestamp) as first from ${logs} as t`],
    ['one row without events', 'select 1 as x'],
    ['groups in the order of their values', `${byPath} order by m`],
    ['groups in an order that their values complete', `${byPath} order by n desc, m`],
    ['distinct values in their order', `select distinct t.event_message as m from ${logs} as t order by m`],
    [
      'elements of arrays of events',
      `select m.path from ${logs} as t cross join unnest(t.metadata.request) as m order by t.timestamp`,
    ],
    [
      'collected distinct texts',
      `select array_agg(distinct t.event_message order by t.event_message) as x from ${logs} as t`,
    ],
    ['the newest of each', `select row_number() over (order by t.timestamp) as n from ${logs} as t order by t.id`],
    ['events that a subquery chooses', `select id from ${logs} where id in (select id from ${logs}) order by id`],
    [
      'a cut table in complete order',
      `with a as (select id from ${logs} order by timestamp limit 9) select count(*) as n from a`,
    ],
  ])('knows %s', (_title, sql) => {
    expect(sourcesOfSameRows(stored(sql))).toEqual(sql.includes(logs) ? ['edge_logs'] : []);
  });

  it.each([
    [
      'the clock',
      `select id from ${logs} where timestamp > timestamp_sub(current_timestamp(), interval 1 hour) order by timestamp`,
    ],
    ['the date', 'select current_date() as d'],
    ['chance', 'select rand() as r'],
    ['random names', 'select generate_uuid() as r'],
    ['events in no order', `select id from ${logs}`],
    ['any events', `select id from ${logs} limit 5`],
    ['groups in no order', byPath],
    ['groups in an order with ties', `${byPath} order by n desc`],
    [
      'groups by a value that the order has not',
      `select count(*) as n from ${logs} as t group by t.event_message order by n`,
    ],
    ['a table cut in no order', `with a as (select id from ${logs} limit 9) select id from a order by id`],
    [
      'a table of groups cut in an order with ties',
      `with a as (${byPath} order by n limit 3) select m from a order by m`,
    ],
    ['any value', `select any_value(t.id) as x from ${logs} as t`],
    ['a sum of floats', `select sum(cast(t.metadata.x as float64)) as x from ${logs} as t`],
    ['an average', `select avg(cast(t.metadata.x as float64)) as x from ${logs} as t`],
    ['the least float, which may be 0 or -0', `select min(cast(t.metadata.x as float64)) as x from ${logs} as t`],
    ['groups by floats', `select cast(t.metadata.x as float64) as x from ${logs} as t group by x order by x`],
    [
      'distinct floats in a table',
      `with a as (select distinct cast(t.metadata.x as float64) as x from ${logs} as t) select count(x) as n from a`,
    ],
    ['an approximation', `select approx_quantiles(t.timestamp, 4) as x from ${logs} as t`],
    ['collected values in no order', `select string_agg(t.id, ',') as x from ${logs} as t`],
    ['an array of rows in no order', `select array(select t.id from ${logs} as t) as x`],
    [
      'collected distinct floats',
      `select array_agg(distinct f order by f) as x from (select cast(t.metadata.x as float64) as f from ${logs} as t) as a`,
    ],
    [
      'two rows of a full join of single ones',
      `select n, m from (select count(*) as n from ${logs}) as a full join (select 1 as m) as b on a.n = b.m`,
    ],
    ['both arms of a union', `select id from ${logs} union all select id from ${logs} order by id`],
    [
      'the number of a group in an order with ties',
      `select m, row_number() over (order by n) as r from (${byPath}) as g order by m`,
    ],
    ['collected groups in an order with ties', `select string_agg(m, ',' order by n) as x from (${byPath}) as g`],
    [
      'the first of equals in a frame of values',
      `select first_value(t.id) over (order by t.event_message range between current row and unbounded following) as x from ${logs} as t order by t.timestamp`,
    ],
  ])('does not trust %s', (_title, sql) => {
    expect(sourcesOfSameRows(stored(sql))).toBeNull();
  });

  it('names every source that is read, even if no column of it is, and none of an unused table', () => {
    const sql = `with unused as (select id from sources.auth_logs) select id from ${logs} where exists (select 1 from sources.pooler_logs) order by id`;
    expect(sourcesOfSameRows(stored(sql))).toEqual(['edge_logs', 'pooler_logs']);
    expect(sourcesOfSameRows(stored('select count(*) as n from sources.auth_logs'))).toEqual(['auth_logs']);
  });
});
