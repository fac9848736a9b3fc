import type { PushedCase } from './pushedCases.ts';

const times = (from: string, to: string, unit: string): string =>
  `unnest(generate_timestamp_array(timestamp '${from}', timestamp '${to}', interval 1 ${unit})) as d`;
const groups = (unit: string): string =>
  `(select timestamp_trunc(t.timestamp, ${unit}) as k, min(t.event_message) as m, count(*) as n from sources.edge_logs as t group by k) as g`;
const columns = 'select d, g.k, g.m, ifnull(g.n, 0) as n from';

const days = times('2026-01-01', '2026-12-31', 'day');
const none = '(select cast(e as timestamp) as d from unnest([]) as e)';

const kept = (name: string, text: string): PushedCase => ({ name, text: `${text} order by k, n` });

/** Joins with a constant table, which ClickHouse computes whole (emit/constantJoins.ts). */
export const constantJoinCases: readonly PushedCase[] = [
  kept('a left join with days', `${columns} ${days} left join ${groups('day')} on g.k = d where g.k is not null`),
  kept('a right join with days', `${columns} ${groups('day')} right join ${days} on d = g.k where g.k is not null`),
  kept('an inner join with days', `${columns} ${days} join ${groups('day')} on g.k = d where g.n > 1`),
  kept(
    'a condition on the days',
    `${columns} ${days} join ${groups('day')} on g.k = d where d > timestamp '2026-05-01'`,
  ),
  kept(
    'groups of another unit than the times',
    `${columns} ${days} left join ${groups('hour')} on g.k = d where g.k is not null`,
  ),
  kept(
    'a condition on another column',
    `${columns} ${days} left join ${groups('day')} on g.k = d where g.m is not null and g.m != ''`,
  ),
  kept(
    'times of which none is in the range',
    `${columns} ${times('2026-12-31', '2026-01-01', 'day')} left join ${groups('day')} on g.k = d where g.k is not null`,
  ),
  kept('a full join with an empty table', `${columns} ${groups('day')} full join ${none} as b on g.k = b.d`),
  kept('a left join with an empty table', `${columns} ${groups('day')} left join ${none} as b on g.k = b.d`),
  kept('a right join with an empty table', `${columns} ${none} as b right join ${groups('day')} on g.k = b.d`),
];
