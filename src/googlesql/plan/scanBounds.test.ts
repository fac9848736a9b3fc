import { describe, expect, it } from 'vitest';
import { caller, nowMicros, plan, stored } from './plan.fixture.ts';
import { scanBounds } from './scanBounds.ts';

describe('bounds of time', () => {
  const day = 86_400_000_000n;
  const may1 = BigInt(Date.UTC(2026, 4, 1)) * 1000n;
  const timesOf = (sql: string) =>
    [...scanBounds(plan(stored(sql))).values()].map(({ fromMicros, toMicros }) => [fromMicros, toMicros]);

  it.each([
    ["date(t.timestamp) = '2026-05-01'", may1, may1 + day - 1n],
    ['date(timestamp) >= date_sub(current_date(), interval 7 day)', may1 - 7n * day, null],
    ['cast(timestamp as date) > current_date() - 2', may1 - day, null],
    ["extract(date from timestamp) <= '2026-05-01'", null, may1 + day - 1n],
    ['extract(year from timestamp) = 2025', BigInt(Date.UTC(2025, 0)) * 1000n, BigInt(Date.UTC(2026, 0)) * 1000n - 1n],
    ["timestamp_trunc(timestamp, day) > '2026-04-30'", may1, null],
    ["timestamp_trunc(timestamp, hour) >= '2026-04-30 23:30:00'", may1, null],
    ["timestamp_trunc(timestamp, month) = '2026-05-01'", may1, may1 + 31n * day - 1n],
    ["timestamp_trunc(timestamp, day, 'UTC') = '2026-05-01'", may1, may1 + day - 1n],
    ["datetime(timestamp) < '2026-05-01'", null, may1 - 1n],
    ["unix_seconds(timestamp) > unix_seconds('2026-04-30 23:59:59')", may1, null],
    ['unix_millis(timestamp) >= 1777593600000', may1, null],
    ["timestamp_add(timestamp, interval 1 day) > '2026-05-02'", may1 + 1n, null],
    ['timestamp_diff(current_timestamp(), timestamp, hour) < 24', BigInt(nowMicros) - day + 1n, null],
    ['date_diff(current_date(), date(timestamp), day) <= 1', may1 - day, null],
    ["'2026-05-01' <= timestamp", may1, null],
    ["timestamp in ('2026-05-02', '2026-05-01', null)", may1, may1 + day],
    ["timestamp >= timestamp('2026-05-01') and timestamp < timestamp(date '2026-05-02')", may1, may1 + day - 1n],
    [
      'timestamp > timestamp_sub(timestamp_trunc(current_timestamp(), day), interval 2 * 24 hour)',
      may1 - 2n * day + 1n,
      null,
    ],
    [
      "(timestamp between '2026-05-01' and '2026-05-02') or (timestamp between '2026-05-04' and '2026-05-05')",
      may1,
      may1 + 4n * day,
    ],
    ["not (timestamp < '2026-05-01' or date(timestamp) > '2026-05-01')", may1, may1 + day - 1n],
    ["timestamp >= '2026-05-01' or id = 'x'", null, null],
    ["timestamp != '2026-05-01'", null, null],
    ["date(timestamp, 'Europe/Helsinki') = '2026-05-01'", may1 - day, may1 + 2n * day - 1n],
    [
      "timestamp >= current_timestamp() - interval 12 hour and date(timestamp) > '9999-12-31'",
      253_402_300_799_999_999n,
      null,
    ],
  ])('come from %s', (condition, from, to) => {
    expect(timesOf(`select id from sources.edge_logs as t where ${condition}`)).toEqual([[from, to]]);
  });

  it.each([
    [
      'of a union',
      "select id from (select id, timestamp as t from sources.edge_logs union all select id, timestamp from sources.auth_logs) where t >= '2026-05-01'",
      2,
    ],
    [
      'of an intersection',
      "select t from (select timestamp as t from sources.edge_logs intersect distinct select timestamp from sources.auth_logs) where t >= '2026-05-01'",
      2,
    ],
    [
      'of what is left of a table without another',
      "select t from (select timestamp as t from sources.edge_logs except distinct select timestamp from sources.auth_logs) where t >= '2026-05-01'",
      2,
    ],
    [
      'of groups by a time',
      "with h as (select timestamp_trunc(timestamp, hour) as k, count(*) as n from sources.edge_logs group by k) select k, n from h where k >= '2026-05-01' and n > 3",
      1,
    ],
    [
      'of groups that two readers ask for',
      "with h as (select timestamp_trunc(timestamp, hour) as h, count(*) as n from sources.edge_logs group by h) select a.h, b.n from h as a join h as b on b.h = timestamp_add(a.h, interval 1 hour) where a.h >= '2026-05-01'",
      1,
    ],
    [
      'in HAVING',
      "select date(timestamp) as d, count(*) as n from sources.edge_logs group by d having d >= '2026-05-01'",
      1,
    ],
    [
      'of distinct rows',
      "select d from (select distinct date(timestamp) as d from sources.edge_logs) where d >= '2026-05-01'",
      1,
    ],
    [
      'of whole partitions',
      "select id from (select id, timestamp as t, row_number() over (partition by date(timestamp) order by id) as r from sources.edge_logs) where t >= '2026-05-01 10:00:00' and r = 1",
      1,
    ],
    [
      'below a join',
      "select a.id from (select id, timestamp as t from sources.edge_logs where timestamp >= '2026-05-01') as a left join sources.auth_logs as b on b.timestamp >= a.t",
      2,
    ],
    [
      'in pipes',
      "from sources.edge_logs |> aggregate count(*) as n group by timestamp_trunc(timestamp, minute) as m |> where m >= '2026-05-01'",
      1,
    ],
    [
      'of both sides of a join',
      "select a.id from sources.edge_logs as a join sources.auth_logs as b on a.timestamp = b.timestamp where a.timestamp >= '2026-05-01'",
      2,
    ],
    [
      'of the side for which an outer join makes up rows',
      "select a.id from sources.edge_logs as a left join sources.auth_logs as b on b.timestamp >= a.timestamp where a.timestamp >= '2026-05-01'",
      2,
    ],
    [
      'of a correlated subquery',
      "select id, (select count(*) from sources.auth_logs as b where b.timestamp >= a.timestamp) as n from sources.edge_logs as a where a.timestamp >= '2026-05-01'",
      2,
    ],
  ])('come from conditions %s', (_title, sql, scans) => {
    expect(timesOf(sql)).toEqual(Array.from({ length: scans }, () => [may1, null]));
  });

  it.each([
    [
      'groups by ROLLUP',
      "select d from (select date(timestamp) as d, count(*) as n from sources.edge_logs group by rollup (d)) where d >= '2026-05-01'",
    ],
    [
      'the only row of an aggregate',
      "select m from (select max(timestamp) as m from sources.edge_logs) where m >= '2026-05-01'",
    ],
    [
      'rows that a LIMIT cut',
      "select id from (select id, timestamp as t from sources.edge_logs order by id limit 3) where t >= '2026-05-01'",
    ],
    [
      'rows of a window over all',
      "select id from (select id, timestamp as t, lag(id) over (order by timestamp) as l from sources.edge_logs) where t >= '2026-05-01' and l is null",
    ],
    [
      'rows of a window over all for which a SAFE call gives NULL',
      "select id from (select id, timestamp as t, count(*) over (partition by date(safe.timestamp_add(timestamp, interval 3000000 day))) as n from sources.edge_logs) where t >= '2026-05-01' and n > 1",
    ],
    [
      'rows of a window over all that have no zone',
      "select id from (select id, timestamp as t, count(*) over (partition by date(timestamp, if(id = 'x', 'UTC', null))) as n from sources.edge_logs) where t >= '2026-05-01' and n > 1",
    ],
    [
      'rows of a window over all without an origin',
      "select id from (select id, timestamp as t, count(*) over (partition by timestamp_bucket(timestamp, interval 1 hour, cast(null as timestamp))) as n from sources.edge_logs) where t >= '2026-05-01' and n > 1",
    ],
    [
      'one of two readers of a table',
      "with h as (select date(timestamp) as k, count(*) as n from sources.edge_logs group by k) select k, (select max(n) from h) as m from h where k >= '2026-05-01'",
    ],
    [
      'the ON of a full join',
      "select 1 from sources.edge_logs as a full join (select 1 as x union all select 2) on a.timestamp >= '2026-05-01'",
    ],
    [
      'a subquery under NOT IN',
      "select x from (select timestamp '2026-05-01' as x union all select null) where x not in (select timestamp from sources.edge_logs)",
    ],
  ])('are not taken from conditions on %s', (_title, sql) => {
    expect(timesOf(sql)).toEqual([[null, null]]);
  });

  it('pass the optimization barrier of a table that a pattern selects', () => {
    const query = caller(
      "select count(*) as n from t where timestamp >= '2026-05-01'",
      'with t as (select id, timestamp from sources.edge_logs where regexp_contains(project, @project))',
    );
    const [only] = scanBounds(plan(query, { project: { kind: 'string', value: 'p' } })).values();
    expect(only?.fromMicros).toBe(may1);
  });
});
