import { describe, expect, it } from 'vitest';
import { statementOf } from './statementOf.fixture.ts';

const number = '"arrival_number"';
/** How often the statement reads numbers of events: once for each file of a scan that gives them. */
const readsOf = (sql: string) => statementOf(sql).split(number).length - 1;

const logs = 'sources.edge_logs';

describe('numbers of events are read', () => {
  it.each([
    ['by ORDER BY', `select id from ${logs} order by timestamp desc limit 5`, 2],
    [
      'by an inner ORDER BY, for its LIMIT',
      `select count(*) from (select id from ${logs} order by timestamp limit 5)`,
      2,
    ],
    ['by both sides of a join', `select a.id from ${logs} a join ${logs} b on a.id = b.id order by a.timestamp`, 4],
    ['by both arms of UNION ALL', `select id from ${logs} union all select id from ${logs} order by id`, 4],
    [
      'by a table that is read twice, once',
      `with t as (select id, count(*) over () as n from ${logs}) select a.id, b.n from t a cross join t b order by 1`,
      2,
    ],
    ['by a subquery', `select (select id from ${logs} order by timestamp desc limit 1)`, 2],
    ['by STRING_AGG', `select string_agg(event_message, ' ' order by timestamp) from ${logs}`, 2],
    ['by ROW_NUMBER', `select row_number() over (order by timestamp) from ${logs}`, 2],
    ['by FIRST_VALUE', `select first_value(id) over (order by timestamp) from ${logs}`, 2],
    [
      'by LAST_VALUE of all rows',
      `select last_value(id) over (order by timestamp range between unbounded preceding and unbounded following) from ${logs}`,
      2,
    ],
    [
      'by a frame of ROWS',
      `select count(id) over (order by timestamp rows between 1 preceding and current row) from ${logs}`,
      2,
    ],
  ])('%s', (_, sql, reads) => {
    expect(readsOf(sql)).toBe(reads);
  });
});

describe('numbers of events are not read', () => {
  it.each([
    ['without an order', `select id from ${logs} limit 5`],
    ['where rows are grouped', `select id, count(*) from ${logs} group by id order by id`],
    ['where rows are made one', `select distinct id from ${logs} order by id`],
    ['where arms are made one', `select id from ${logs} union distinct select id from ${logs} order by id`],
    ['below what is made one', `select distinct id from (select id, timestamp from ${logs}) order by id`],
    ['by RANK, to which equal rows are peers', `select rank() over (order by timestamp) from ${logs}`],
    ['by LAST_VALUE up to the last peer', `select last_value(id) over (order by timestamp) from ${logs}`],
    ['by FIRST_VALUE without NULLs', `select first_value(id ignore nulls) over (order by timestamp) from ${logs}`],
    [
      'by FIRST_VALUE from the first peer on',
      `select first_value(id) over (order by timestamp range between current row and unbounded following) from ${logs}`,
    ],
    ['by an aggregate of different values', `select string_agg(distinct id, ' ' order by id) from ${logs}`],
  ])('%s', (_, sql) => {
    expect(readsOf(sql)).toBe(0);
  });

  it('by a table with DISTINCT over rows in an order of their own, so that it has no column more', () => {
    const sql = statementOf(`select distinct id from (select id from ${logs} order by timestamp limit 3)`);
    expect(sql).toMatch(/SELECT DISTINCT t\d+\.c\d+ AS c\d+ FROM/);
  });
});
