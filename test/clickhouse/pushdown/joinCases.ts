import type { PushedCase } from './pushedCases.ts';

/** Sources of both sides; a self-join has typed columns on both. */
const pairs = {
  auth: 'sources.edge_logs as a join sources.auth_logs as b',
  self: 'sources.edge_logs as a join sources.edge_logs as b',
};

/** Rows of a join in a total order, and groups of them. */
const on = (condition: string, from: keyof typeof pairs = 'auth', mayBeKeptBack?: true): readonly PushedCase[] => {
  const kept = mayBeKeptBack === undefined ? {} : { mayBeKeptBack };
  const name = from === 'self' ? `self-join on ${condition}` : `join on ${condition}`;
  return [
    {
      ...{ name: `rows of a ${name}`, ...kept },
      text: `select a.id as l, b.id as r, a.timestamp, b.metadata.x as x from ${pairs[from]} on ${condition} order by l, r limit 80`,
    },
    {
      ...{ name: `groups of a ${name}`, ...kept },
      text: `select a.event_message as k, b.metadata.response.status_code as s, count(*) as n, count(distinct b.id) as r, max(a.id) as l from ${pairs[from]} on ${condition} group by k, s order by n desc, k, s limit 200`,
    },
  ];
};

const isScalar = (path: string): string => `safe_cast(${path} as string) is not null`;
const wild = (side: 'a' | 'b'): string => `safe_cast(${side}.event_message as float64)`;
const whole = (side: 'a' | 'b'): string => `safe_cast(${side}.event_message as int64)`;
const x = `a.metadata.x = b.metadata.x`;
const scalars = `${x} and ${isScalar('a.metadata.x')} and ${isScalar('b.metadata.x')}`;
const status = 'metadata.response.status_code';
const from = `${pairs.auth} on a.event_message = b.event_message`;

export const joinCases: readonly PushedCase[] = [
  // Keys of every type.
  ...on('a.event_message = b.event_message'),
  ...on('b.event_message = a.event_message', 'self'),
  ...on('a.timestamp = b.timestamp'),
  ...on('a.id = b.id', 'self'),
  ...on('date(a.timestamp) = date(b.timestamp) and a.event_message = b.event_message'),
  ...on(`${wild('a')} = ${wild('b')}`),
  ...on(`${whole('a')} = ${whole('b')}`),
  ...on(`${wild('a')} / 4 = ${wild('b')} / 2`),
  ...on("(a.event_message > 'b') = starts_with(b.id, 'id1') and a.event_message = b.event_message"),
  ...on('safe_cast(a.metadata.x as float64) = safe_cast(b.metadata.x as float64)'),
  ...on(`a.metadata.request.path = b.event_message`),
  ...on(`a.metadata.x = b.event_message`),
  // Nested values, which equal each other as numbers or as texts; typed columns hold some of them.
  ...on(x, 'auth', true),
  ...on(scalars),
  ...on(scalars, 'self'),
  ...on('a.metadata.request.path = b.metadata.request.path', 'self'),
  ...on(`a.${status} = b.${status}`, 'self'),
  ...on(`a.${status} = b.metadata.x and ${isScalar('b.metadata.x')}`),
  // Its rows have objects at `x`.
  ...on(`b.metadata.request.path = a.metadata.x and ${isScalar('a.metadata.x')}`, 'self', true),
  ...on(`a.${status} = b.metadata.request.path`, 'self'),
  ...on('a.metadata.request.method = b.metadata.auth_event.action'),
  // Several keys, and other conditions.
  ...on('a.event_message = b.event_message and a.timestamp = b.timestamp'),
  ...on('a.event_message = b.event_message and a.timestamp < b.timestamp'),
  ...on(`a.event_message = b.event_message and a.${status} > 200 and b.id like 'id1%'`),
  ...on(`a.event_message = b.event_message and (a.${status} > 200 or b.metadata.x = 1)`),
  ...on(`a.event_message = b.event_message and a.${status} = 200.5`),
  ...on(`a.event_message = b.event_message and ${wild('a')} != ${wild('b')}`),
  // What is above a join.
  {
    name: 'filters above a join',
    text: `select a.id as l, b.id as r from ${from} where a.${status} >= 200 and b.metadata.x is not null and (a.timestamp > b.timestamp or a.${status} = 404) order by l, r limit 50`,
  },
  {
    name: 'the newest rows of a join',
    text: `select a.timestamp, a.id as l, b.id as r from ${from} order by a.timestamp desc, b.timestamp limit 20 offset 3`,
  },
  {
    name: 'the order of NaN and NULL above a join',
    text: `select a.id as l, b.id as r from ${pairs.auth} on a.timestamp = b.timestamp order by ${wild('a')} desc, a.${status} nulls last, l, r limit 40`,
  },
  {
    name: 'metadata of both sides of a join',
    text: `select a.id as l, b.id as r, a.metadata as m, b.metadata.deep as d, b.metadata.request.path as p from ${from} order by l, r limit 30`,
  },
  {
    name: 'distinct values of a join',
    text: `select distinct a.event_message as k, b.${status} > 200 as s from ${from} order by k, s`,
  },
  {
    name: 'nested values of a join as keys of groups',
    text: `select b.metadata.auth_event.action as k, countif(a.${status} > 200) as c, count(b.metadata.x) as x, sum(a.metadata.execution_time_ms) as t, count(*) as n from ${from} group by k having n > 1 order by n desc, k limit 9`,
  },
  {
    name: 'a join without groups',
    text: `select count(*) as n, count(distinct a.id) as l, min(b.timestamp) as t, logical_and(a.${status} > 100) as s from ${from}`,
  },
  {
    name: 'a join without rows',
    text: `select count(*) as n, max(a.id) as l from ${from} where a.id = 'none'`,
  },
  {
    name: 'a sum of a join beyond INT64',
    text: `select a.event_message as k, sum(if(${whole('a')} is null, 9223372036854775807, 1)) as s from ${from} group by k order by k`,
  },
  {
    name: 'the most frequent values of a join with their total',
    text: `select a.event_message as value, count(*) as n, sum(count(*)) over () as total from ${from} group by value order by n desc, value limit 3`,
  },
  {
    name: 'a join of tables with filters of their own',
    text: `with l as (select t.id, t.event_message as m, t.${status} as s from sources.edge_logs as t where t.${status} > 100), r as (select t.id, t.event_message as m, t.metadata.x as x from sources.auth_logs as t where t.timestamp > timestamp '1970-01-01') select l.id as i, r.id as j, s, x from l join r on l.m = r.m order by i, j limit 40`,
  },
  {
    name: 'a join with USING',
    text: `select event_message as k, count(*) as n from sources.edge_logs as a join sources.auth_logs as b using (event_message) group by k order by k`,
  },
];
