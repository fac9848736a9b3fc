import type { PushedCase } from './pushedCases.ts';

const tags = 't.metadata.tags';

const counted = (condition: string, from = 'sources.edge_logs as t'): PushedCase => ({
  name: condition,
  text: `select (${condition}) as k, count(*) as n from ${from} group by k order by k`,
});

const values = [
  "'join'",
  "'a\\nb'",
  "'true'",
  "'null'",
  "''",
  "'5'",
  "'5.0'",
  "'-0.0'",
  "'0'",
  '5',
  '-2.5',
  '0',
  '1e22',
  '1e20',
  '9007199254740991',
  'true',
  'false',
] as const;

/** Without objects and arrays, which ClickHouse does not order, and without zeros, some of which are of one rank. */
const scalars = (member: string): string =>
  `safe_cast(${member} as string) is not null and ifnull(safe_cast(${member} as float64), 1) != 0`;

const extremes = (member: string, by: string, where = scalars(member)): PushedCase => ({
  name: `min and max of ${member} by ${by} where ${where}`,
  text: `select ${by} as g, min(${member}) as least, max(${member}) as greatest, count(*) as n from sources.edge_logs as t where ${where} group by g order by n desc, g`,
});

const exists = (condition: string, member = tags): PushedCase =>
  counted(`exists (select 1 from unnest(safe_cast(${member} as array<string>)) as element where ${condition})`);

/** Elements of arrays, members below arrays of one object, and the least and greatest of nested values. */
export const nestedCases: readonly PushedCase[] = [
  ...values.map((value) => counted(`${value} in unnest(${tags})`)),
  ...['[200, 404]', '[200, null]', '[]'].flatMap((list) => [
    counted(`t.metadata.response.status_code in unnest(${list})`),
    counted(`t.metadata.response.status_code not in unnest(${list})`),
  ]),
  counted("t.event_message in unnest(['a', 'é'])"),
  counted("t.metadata.x in unnest(['a', '200'])"),
  counted('t.metadata.x in unnest([1, 2.5])'),
  counted('t.metadata.x not in unnest([5])'),
  counted("t.timestamp in unnest([timestamp '2026-05-01 10:00:00+00'])"),
  counted(`'join' not in unnest(${tags})`),
  counted("'join' in unnest(t.metadata.x)"),
  counted("'a' in unnest(t.metadata.deep.tags)"),
  { ...counted(`'join' in unnest(cast(${tags} as array<string>))`), mayBeKeptBack: true },
  {
    name: 'elements of what CAST cannot read as an array',
    text: `select count(*) as n from sources.edge_logs as t where exists (select 1 from unnest(cast(${tags} as array<string>)) as element where element = 'join')`,
    mayBeKeptBack: true,
  },
  exists("regexp_contains(element, '^jo')"),
  exists("regexp_contains(element, '^5(?:\\\\.0)?$')"),
  exists("element in ('5.0', '-2.5', '1e+22')"),
  exists("element = '5'"),
  exists('length(element) = 3'),
  exists('element is null'),
  exists("element like '%.0'", 't.metadata.x'),
  exists("element = 'a'", 't.metadata.deep.tags'),
  ...['way.a', 'way.a.b', 'way.a.b.c'].map((path) => counted(`t.metadata.${path} is null`)),
  counted('t.metadata.way.a.b.c = 5'),
  counted('safe_cast(t.metadata.way.a.b.c as string)'),
  counted("'x' in unnest(t.metadata.way.a.b.c)"),
  exists("element in ('x', '5.0')", 't.metadata.way.a.b.c'),
  {
    name: 'rows without an element that matches',
    text: `select t.id from sources.edge_logs as t where not exists (select 1 from unnest(safe_cast(${tags} as array<string>)) as element where regexp_contains(element, 'o')) order by t.timestamp desc, t.id limit 20`,
  },
  {
    name: 'rows with an element of an array',
    text: `select t.id, t.event_message from sources.edge_logs as t where 'join' in unnest(${tags}) order by t.timestamp desc, t.id limit 20`,
  },
  ...['t.metadata.request.method', "concat(t.event_message, 'x')", 'timestamp_trunc(t.timestamp, second)'].flatMap(
    (by) => [extremes('t.metadata.tag', by), extremes('t.metadata.x', by)],
  ),
  { ...extremes('t.metadata.x', 't.event_message', 'true'), mayBeKeptBack: true },
  {
    name: 'the least and greatest of no nested values',
    text: "select min(t.metadata.tag) as least, max(t.metadata.tag) as greatest from sources.edge_logs as t where t.event_message like 'no such%'",
  },
  {
    name: 'the greatest nested values of a join',
    text: `select a.event_message as k, max(a.metadata.tag) as l, min(b.metadata.tag) as r, countif('join' in unnest(b.metadata.tags)) as n from sources.edge_logs as a join sources.auth_logs as b on a.event_message = b.event_message where ${scalars('a.metadata.tag')} and ${scalars('b.metadata.tag')} group by k order by k`,
  },
  {
    name: 'elements of both sides of a join',
    text: `select count(*) as n from sources.edge_logs as a join sources.auth_logs as b on a.event_message = b.event_message where 'join' in unnest(a.metadata.tags) and exists (select 1 from unnest(safe_cast(b.metadata.tags as array<string>)) as e where regexp_contains(e, 'o'))`,
  },
  {
    name: 'the greatest nested values of a union',
    text: `select k, max(v) as m, min(v) as l, count(*) as n from (select event_message as k, t.metadata.tag as v from sources.edge_logs as t where ${scalars('t.metadata.tag')} union all select event_message, t.metadata.tag from sources.auth_logs as t where ${scalars('t.metadata.tag')}) group by k order by k`,
    mayBeKeptBack: true,
  },
  {
    name: 'elements in a union',
    text: `select e, count(*) as n from (select 'join' in unnest(t.metadata.tags) as e from sources.edge_logs as t union all select 5 in unnest(t.metadata.tags) from sources.auth_logs as t) group by e order by e`,
    mayBeKeptBack: true,
  },
  counted("cast(t.metadata.tag as string) = 'a'"),
  { ...counted("cast(t.metadata.x as string) = 'a'"), mayBeKeptBack: true },
  {
    name: 'rows with a cast of a member that is an object behind them',
    text: `select t.id, cast(t.metadata.x as string) as s from sources.edge_logs as t where ${scalars('t.metadata.x')} order by t.timestamp desc, t.id limit 20`,
    mayBeKeptBack: true,
  },
  {
    name: 'a filter by a cast that fails for other rows',
    text: "select t.id from sources.edge_logs as t where t.metadata.request.method = 'POST' and cast(t.metadata.response.origin_time as string) = '1' order by t.id",
    mayBeKeptBack: true,
  },
  {
    name: 'casts of both sides of a join',
    text: `select count(*) as n from sources.edge_logs as a join sources.auth_logs as b on a.event_message = b.event_message where cast(a.metadata.x as string) = cast(b.metadata.tag as string)`,
    mayBeKeptBack: true,
  },
  {
    name: 'casts in a union',
    text: `select s, count(*) as n from (select cast(t.metadata.tag as string) as s from sources.edge_logs as t union all select cast(t.metadata.x as string) from sources.auth_logs as t) group by s order by s`,
    mayBeKeptBack: true,
  },
  {
    name: 'the order of greatest nested values',
    text: `select t.event_message as k, max(t.metadata.tag) as m from sources.edge_logs as t where ${scalars('t.metadata.tag')} group by k order by m desc, k limit 9`,
  },
  {
    name: 'the order of greatest nested values at the end of a path',
    text: 'select k, m, row_number() over (order by m, k) as r from (select t.event_message as k, max(t.metadata.a.b.c) as m from sources.edge_logs as t group by k)',
  },
];
