import type { PushedCase } from './pushedCases.ts';

const status = 't.metadata.response.status_code';
const wild = 'safe_cast(t.event_message as float64)';

/** Rows of two sources with `columns`, and the source as `s`. */
const both = (columns: string, where = ''): string =>
  `select 'e' as s, t.id, ${columns} from sources.edge_logs as t${where} union all select 'a', t.id, ${columns} from sources.auth_logs as t${where}`;
/** Rows of one source, of which each is in one of two arms, so that their arrivals distinguish them. */
const parts = (columns: string): string =>
  `select t.id, ${columns} from sources.edge_logs as t where t.id < 'id2' union all select t.id, ${columns} from sources.edge_logs as t where t.id >= 'id2'`;

/** Rows in a total order. */
const first = (columns: string, order: string, rest = 'limit 25'): PushedCase => ({
  name: `first rows of two sources by ${order}, ${rest}`,
  text: `select * from (${both(columns)}) as u order by ${order}, s, id ${rest}`,
});

export const unionCases: readonly PushedCase[] = [
  first('t.timestamp', 'timestamp desc'),
  first('t.timestamp', 'timestamp', 'limit 25 offset 3'),
  first(`${status} > 200 as v`, 'v desc', 'limit 120'),
  first(`${wild} as v`, 'v'),
  first(`${wild} as v`, 'v nulls last'),
  first(`${wild} as v`, 'v desc', 'limit 9 offset 2'),
  first(`safe_cast(t.metadata.x as float64) as v`, 'v desc nulls last'),
  first(`safe_cast(${status} as float64) as v`, 'v nulls first', 'limit 200 offset 40'),
  first('safe_cast(t.metadata.x as string) as v', 'v nulls last', 'limit 60'),
  first('date(t.timestamp) as v, t.metadata', 'v desc'),
  first('t.event_message as v, safe_cast(t.metadata.request.path as string) as p', 'v'),
  {
    name: 'the newest rows of two arms in the order of their arrival',
    text: `${parts('t.timestamp')} order by timestamp desc limit 60`,
  },
  {
    name: 'the oldest rows of two arms in the order of their arrival',
    text: `${parts(`t.timestamp, ${status} > 200 as v`)} order by timestamp limit 60 offset 5`,
  },
  {
    name: 'arms with different conditions',
    text: `select s, id from (select 'e' as s, t.id, t.timestamp as ts from sources.edge_logs as t where ${status} > 200 union all select 'm', t.id, t.timestamp from sources.edge_logs as t where t.event_message > 'b' union all select 'a', t.id, t.timestamp from sources.auth_logs as t) order by ts desc, s, id limit 50`,
  },
  {
    name: 'a filter above two arms',
    text: `select s, id, v from (${both(`${wild} as v, ${status} > 200 as w, t.metadata`)}) as u where (v > 0 or w) and u.metadata is not null order by s, id limit 70`,
  },
  {
    name: 'a member read above two arms',
    text: `select s, id, u.metadata.x as x from (${both('t.metadata')}) as u order by s, id limit 40`,
    mayBeKeptBack: true,
  },
  {
    name: 'computed values above two arms',
    text: `select s, concat('<', v) as c, timestamp_trunc(ts, day) as d from (${both('t.event_message as v, t.timestamp as ts')}) order by ts desc, s, id limit 40`,
  },
  {
    name: 'groups of each arm',
    text: `select 'e' as s, t.event_message as k, count(*) as n from sources.edge_logs as t where ${status} > 100 group by k union all select 'a', t.id, count(*) from sources.auth_logs as t group by t.id order by n desc, s, k limit 30`,
  },
  {
    name: 'nested keys of the groups of each arm',
    text: `select 'e' as s, t.metadata.auth_event.action as k, count(*) as n from sources.edge_logs as t group by k union all select 'a', t.metadata.auth_event.action, count(*) from sources.auth_logs as t group by 2 order by n desc, s, k limit 30`,
    mayBeKeptBack: true,
  },
  {
    name: 'totals of each arm',
    text: `select 'e' as s, count(*) as n, max(${status} > 200) as m from sources.edge_logs as t union all select 'a', count(*), logical_or(t.id = 'id3') from sources.auth_logs as t order by s limit 9`,
  },
  {
    name: 'a sum of an arm beyond INT64',
    text: `select 'e' as s, sum(if(t.event_message = 'a', 9223372036854775807, 1)) as n from sources.edge_logs as t group by t.event_message union all select 'a', 1 from sources.auth_logs as t order by n, s limit 5`,
  },
  {
    name: 'groups of the rows of two arms',
    text: `select s, timestamp_trunc(ts, day) as d, v, count(*) as n, countif(w) as c, max(id) as m, count(distinct f) as q from (${both(`t.timestamp as ts, t.event_message as v, ${status} > 200 as w, ${wild} as f`)}) as u where ts > timestamp '1970-01-01' group by s, d, v having n > 0 order by n desc, s, d, v limit 200`,
  },
  {
    name: 'the number of rows of two arms',
    text: `select count(*) as n from (${both('t.timestamp', ` where ${status} > 200`)}) as u`,
  },
  {
    name: 'a sum of the rows of two arms beyond INT64',
    text: `select v as k, sum(if(v = 'a', 9223372036854775807, 1)) as n from (${both('t.event_message as v')}) as u group by k order by k`,
  },
  {
    name: 'distinct values of two arms',
    text: `select distinct v, w from (${both(`${wild} as v, ${status} > 200 as w`)}) as u order by v, w`,
  },
  {
    name: 'the first rows of a subquery',
    text: `select s, count(*) as n from (${both('t.timestamp')} order by timestamp desc, s, id limit 60) as u group by s order by s`,
    mayBeKeptBack: true,
  },
];
