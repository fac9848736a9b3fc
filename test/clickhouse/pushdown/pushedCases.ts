/** What a case must push: the whole grouping, or the order and limit of rows. */
export interface PushedCase {
  readonly name: string;
  readonly text: string;
  /** Whether values of the test make a push inexact, such as objects by which rows are grouped. */
  readonly mayBeKeptBack?: true;
}

const grouped = (expr: string): PushedCase => ({
  name: expr,
  text: `select (${expr}) as k, count(*) as n from sources.edge_logs as t group by k order by k`,
});

/** Some values of the tests are objects and arrays, which are no keys of a group in ClickHouse. */
const nested = (expr: string): PushedCase => ({ ...grouped(expr), mayBeKeptBack: true });

const aggregated = (expr: string): PushedCase => ({
  name: expr,
  text: `select t.metadata.request.method as g, ${expr} as v, count(*) as n from sources.edge_logs as t group by g order by n desc, g`,
});

const total = (expr: string): PushedCase => ({
  name: `${expr}, without groups`,
  text: `select ${expr} as v from sources.edge_logs as t where t.event_message like 'no such%'`,
});

const ordered = (expr: string): PushedCase => ({
  name: `order by ${expr}`,
  text: `select t.id from sources.edge_logs as t order by ${expr} limit 9`,
});

const status = 't.metadata.response.status_code';
const path = 't.metadata.request.path';
const x = 't.metadata.x';
const message = 't.event_message';
const time = 't.timestamp';
/** FLOAT64 with NaN and infinities. */
const wild = `safe_cast(${message} as float64)`;
/** The same, without numbers whose sum depends on their order. */
const tame = `if(abs(${wild}) < 1000000 or is_nan(${wild}) or is_inf(${wild}), ${wild}, null)`;
const whole = `safe_cast(${message} as int64)`;

const units = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'week(monday)',
  'week(thursday)',
  'isoweek',
  'month',
  'quarter',
  'year',
];

const parts = [
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'dayofweek',
  'dayofyear',
  'month',
  'quarter',
  'year',
  'date',
  'time',
  'datetime',
];

/** Some values are arrays and scalars, of which ClickHouse unnests none. */
const unnested = (path: string, expr: string): PushedCase => ({
  name: `${expr} of an unnested ${path}`,
  text: `select ${expr} as k, count(*) as n, count(distinct ${expr}) as d from sources.edge_logs as t cross join unnest(t.metadata.${path}) as u group by k order by k`,
  mayBeKeptBack: true,
});

export const expressionCases: readonly PushedCase[] = [
  unnested('auth_event', 'u.actor_username'),
  unnested('auth_event', 'safe_cast(u.actor_username as string)'),
  unnested('deep', 'u.a.b'),
  unnested('request', 'u.headers.x_real_ip'),
  // Values as they are.
  ...[message, path, status, time, 't.id'].map(grouped),
  ...[x, 't.metadata.deep.a.b', 't.metadata.request.headers.x_real_ip'].map(nested),
  ...['deep.a', 'request.headers.a', 'deep.a.b'].map((each) => grouped(`safe_cast(t.metadata.${each} as string)`)),
  ...['deep.a', 'request.headers.a'].map((each) => grouped(`t.metadata.${each} = 2`)),
  // Comparisons.
  ...['=', '!=', '<', '<=', '>', '>='].flatMap((operator) => [
    grouped(`${status} ${operator} 200`),
    grouped(`${x} ${operator} 200`),
    grouped(`${x} ${operator} '200'`),
    grouped(`${message} ${operator} 'a.c'`),
    grouped(`${wild} ${operator} 1.5`),
    grouped(`${wild} ${operator} ${x}`),
    grouped(`${time} ${operator} timestamp '2026-05-01 10:00:00'`),
    grouped(`${time} ${operator} timestamp '1800-01-01'`),
    grouped(`t.metadata.request.method ${operator} ${path}`),
  ]),
  grouped(`${path} = 200`),
  grouped(`${path} > 1.5`),
  grouped(`${path} in (200, 12)`),
  grouped(`${path} = true`),
  grouped(`${status} in (200, 404)`),
  grouped(`${status} not in (200, null)`),
  grouped(`${x} in (1, 2.5)`),
  grouped(`${x} in ('a', '200')`),
  grouped(`${message} in ('a', 'é', "it's")`),
  grouped(`${wild} in (1.5, 12)`),
  grouped(`(${status} = 200) in (true, false)`),
  grouped(`${status} between 100 and 300`),
  grouped(`${wild} between -1.0 and 200`),
  grouped(`${message} between 'A' and 'b'`),
  grouped(`${time} between timestamp '2026-05-01' and timestamp '2026-05-03'`),
  grouped(`${x} is null`),
  grouped(`t.metadata.request is null`),
  grouped(`t.metadata.deep is not null`),
  grouped(`${status} is null`),
  grouped(`(${status} > 200) is true`),
  grouped(`(${status} > 200) is not true`),
  grouped(`(${status} > 200) is false`),
  grouped(`${status} is distinct from 200`),
  grouped(`${wild} is distinct from ${whole}`),
  // Logic.
  grouped(`${status} > 200 and ${x} = 1`),
  grouped(`${status} > 200 or ${x} = 1`),
  grouped(`not (${status} > 200 and ${x} is null)`),
  // Conditionals.
  grouped(`if(${status} > 200, ${message}, ${path})`),
  grouped(
    `case when ${status} >= 500 then 'error' when ${status} >= 400 then 'warning' when ${status} is null then null else 'info' end`,
  ),
  grouped(`coalesce(${path}, ${message})`),
  grouped(`ifnull(${status}, -1)`),
  grouped(`nullif(${message}, 'a')`),
  grouped(`nullif(${wild}, 12.0)`),
  grouped(`greatest(${whole}, 5)`),
  grouped(`least(${wild}, 5)`),
  grouped(`greatest(${wild}, ${whole})`),
  // Numbers.
  grouped(`${wild} / 4`),
  grouped(`${wild} + 1.5`),
  grouped(`${wild} - 1.5`),
  grouped(`${wild} * 0.5`),
  grouped(`-${wild}`),
  grouped(`safe_add(${whole}, 9223372036854775807)`),
  grouped(`safe_subtract(${whole}, 2)`),
  grouped(`safe_multiply(${whole}, 3)`),
  grouped(`safe_add(${wild}, 1e308)`),
  grouped(`safe_divide(10, ${wild})`),
  grouped(`safe_divide(${wild}, ${whole})`),
  grouped(`mod(${whole}, 7)`),
  grouped(`div(${whole}, 7)`),
  ...['abs', 'floor', 'ceil', 'trunc', 'round', 'is_nan', 'is_inf'].map((name) => grouped(`${name}(${wild})`)),
  // Texts.
  ...['a%', '%a', '%b%', 'a_c', 'a\\\\_c', 'a\\\\%c', 'a\\\\\\\\c', '_', '', '%', '😀%', '%é'].map((each) =>
    grouped(`${message} like '${each}'`),
  ),
  grouped(`${x} like '2%'`),
  grouped(`${message} like 'a|_c' escape '|'`),
  ...['a.c', 'a.*c$', '(?i)abc', '(?s)a.c', '^$', '[^a]', '\\\\d+', 'é', '^.$', '(?:a|A)b', '^a.c$', '(?m)^c'].map(
    (each) => grouped(`regexp_contains(${message}, '${each}')`),
  ),
  grouped(`regexp_contains(${x}, '^2')`),
  ...['a.*', '^/([^/]+)/', '[0-9]+', '(?:a|A)', '(b)?c', 'b*'].map((each) => ({
    ...grouped(`regexp_extract(${message}, '${each}')`),
    ...(each.includes('?') ? { mayBeKeptBack: true as const } : {}),
  })),
  grouped(`regexp_extract(${x}, '[0-9]+')`),
  grouped(`starts_with(${message}, 'a')`),
  grouped(`ends_with(${message}, 'c')`),
  grouped(`strpos(${message}, 'b')`),
  grouped(`strpos(${message}, '')`),
  grouped(`length(${message})`),
  grouped(`byte_length(${message})`),
  grouped(`substr(${message}, 2)`),
  grouped(`substr(${message}, 2, 2)`),
  grouped(`left(${message}, 2)`),
  grouped(`right(${message}, 2)`),
  grouped(`concat('<', ${message}, '>')`),
  grouped(`'<' || ${path}`),
  grouped(`replace(${message}, 'ab', 'x')`),
  // Casts.
  grouped(wild),
  grouped(whole),
  grouped(`safe_cast(${message} as bool)`),
  grouped(`safe_cast(${wild} as int64)`),
  grouped(`safe_cast(${x} as float64)`),
  grouped(`safe_cast(${x} as string)`),
  grouped(`cast(${whole} as string)`),
  grouped(`cast(${whole} as float64)`),
  grouped(`cast(${whole} as bool)`),
  grouped(`cast(${status} > 200 as int64)`),
  grouped(`cast(${status} > 200 as string)`),
  grouped(`cast(${time} as datetime)`),
  grouped(`cast(${time} as date)`),
  grouped(`cast(${time} as time)`),
  grouped(`cast(date(${time}) as timestamp)`),
  // Times.
  ...units.map((unit) => grouped(`timestamp_trunc(${time}, ${unit})`)),
  ...units.slice(3).map((unit) => grouped(`date_trunc(date(${time}), ${unit})`)),
  grouped(`datetime_trunc(datetime(${time}), month)`),
  ...parts.map((part) => grouped(`extract(${part} from ${time})`)),
  grouped(`timestamp_diff(timestamp '2026-05-01', ${time}, hour)`),
  grouped(`timestamp_add(${time}, interval 90 minute)`),
  grouped(`timestamp_sub(${time}, interval 7 day)`),
  grouped(`timestamp_bucket(${time}, interval 5 minute)`),
  grouped(`timestamp_bucket(${time}, interval 7 day, timestamp '2020-01-01')`),
  grouped(`unix_micros(${time})`),
  grouped(`unix_millis(${time})`),
  grouped(`unix_seconds(${time})`),
  grouped(`timestamp_trunc(${time}, hour, 'UTC')`),
];

export const aggregateCases: readonly PushedCase[] = [
  'count(*)',
  `count(${status})`,
  `count(${x})`,
  `count(distinct ${status})`,
  `count(distinct ${message})`,
  `count(distinct ${wild})`,
  `count(distinct ${time})`,
  `count(distinct t.metadata.response.a)`,
  `approx_count_distinct(${message})`,
  `countif(${status} >= 400)`,
  `countif(${x} > 1)`,
  `countif(${status} >= 400) / count(*)`,
  `count(${status}) / count(${path})`,
  `sum(mod(${whole}, 1000))`,
  `sum(t.metadata.execution_time_ms)`,
  `avg(t.metadata.execution_time_ms)`,
  `avg(mod(${whole}, 1000))`,
  `sum(${tame})`,
  `avg(${tame})`,
  `sum(${whole})`,
  `sum(if(${status} > 200, 1e308, 1e307))`,
  `avg(if(${status} > 200, 1e308, 1e307))`,
  ...['min', 'max'].flatMap((name) => [
    `${name}(${status})`,
    `${name}(${message})`,
    `${name}(${wild})`,
    `${name}(${time})`,
    `${name}(${whole})`,
    `${name}(safe_cast(${x} as float64))`,
  ]),
  `logical_and(${status} > 200)`,
  `logical_or(${status} > 200)`,
  ...[0, 1, 50, 95, 99, 100].map((n) => `approx_quantiles(${wild}, 100)[offset(${n})]`),
  `approx_quantiles(${message}, 4)[offset(1)]`,
  `approx_quantiles(${whole}, 7)[offset(3)]`,
].flatMap((each) =>
  [aggregated(each), total(each)].map((one) =>
    each.includes('response.a') ? { ...one, mayBeKeptBack: true as const } : one,
  ),
);

export const orderCases: readonly PushedCase[] = [
  ...[time, wild, whole, message, status, path, `${x} > 1`].flatMap((each) => [
    ordered(`${each}`),
    ordered(`${each} desc`),
    ordered(`${each} nulls last`),
    ordered(`${each} desc nulls first`),
  ]),
  {
    name: 'having, order, limit and offset',
    text: `select ${message} as k, count(*) as n, max(${status}) as s from sources.edge_logs as t group by k having n > 1 and s is not null order by n desc, k limit 5 offset 2`,
  },
  {
    name: 'limit and offset of groups without members',
    text: `select ${message} as k, count(*) as n from sources.edge_logs as t group by k order by n desc, k limit 5 offset 2`,
  },
  {
    name: 'limit and offset of rows',
    text: `select t.id from sources.edge_logs as t where ${status} > 200 order by t.timestamp desc limit 5 offset 4`,
  },
  {
    name: 'the most frequent values with the total',
    text: `select ${status} as value, count(*) as n, sum(count(*)) over () as total from sources.edge_logs as t group by value order by n desc, value limit 3`,
  },
  {
    name: 'the newest periods of a chart',
    text: `select period, n from (select timestamp_trunc(${time}, day) as period, count(*) as n from sources.edge_logs as t where ${status} > 0 group by 1) as chart order by row_number() over (order by period desc) > 4, period limit 4`,
  },
  {
    name: 'offset of groups of which one fails',
    text: `select ${message} as k, sum(if(${message} = 'a', 9223372036854775807, 1)) as s from sources.edge_logs as t group by k order by k limit 5 offset 2`,
  },
  {
    name: 'another order above a limit',
    text: 'select id from (select t.id, t.timestamp from sources.edge_logs as t order by t.timestamp desc, t.id limit 9) order by id desc',
    mayBeKeptBack: true,
  },
  {
    name: 'another order above a limit of groups',
    text: `select k, n from (select ${message} as k, count(*) as n from sources.edge_logs as t group by k order by n desc, k limit 5) order by k desc`,
    mayBeKeptBack: true,
  },
  {
    name: 'an order above a limit that leaves no row out',
    text: 'select id from (select t.id from sources.edge_logs as t limit 1000) order by id',
    mayBeKeptBack: true,
  },
  {
    name: 'select distinct',
    text: `select distinct ${status} > 200 as a, ${wild} as b from sources.edge_logs as t order by a, b`,
  },
];
