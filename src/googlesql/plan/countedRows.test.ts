import { expect, it } from 'vitest';
import { walkRelation } from '../resolve/traverse.ts';
import { caller, plan } from './plan.fixture.ts';

const tables =
  "with edge_logs as (select t.id, t.timestamp, t.event_message, t.metadata from sources.edge_logs as t where t.project = 'p'), other as (select t.id, t.timestamp from sources.auth_logs as t)";

/** The number of arguments of every COUNT that is planned, the outermost first. */
function argumentsOf(sql: string): readonly number[] {
  const found: number[] = [];
  walkRelation(plan(caller(sql, tables)), {
    relation: (below) => {
      const calls = below.kind === 'aggregate' ? below.aggregates : below.kind === 'window' ? below.calls : [];
      for (const call of calls) if (call.fn === 'count') found.push(call.args.length);
    },
  });
  return found;
}

it.each([
  ['an id', 'select count(t.id) as n from edge_logs as t'],
  ['a time and a message', 'select count(timestamp) as n, count(event_message) as m from edge_logs'],
  ['a constant', "select count(1) as n, count('x') as m from edge_logs"],
  ['an id beside nested values', 'select count(t.id) as n from edge_logs as t cross join unnest(t.metadata) as m'],
  [
    'the side of an outer join that stays whole',
    'select count(e.id) as n from edge_logs as e left join other as o on o.id = e.id',
  ],
  ['an id of a set operation', 'select count(id) as n from (select id from edge_logs union all select id from other)'],
  ['an id in a window', 'select count(id) over (order by timestamp) as n from edge_logs'],
  ['a key', 'select count(id) as n from (select id, count(*) as k from edge_logs group by id)'],
])('counts rows where it counts %s', (_, sql) => {
  expect(argumentsOf(sql).length).toBeGreaterThan(0);
  expect(argumentsOf(sql).every((count) => count === 0)).toBe(true);
});

it.each([
  ['different ids', 'select count(distinct t.id) as n from edge_logs as t'],
  ['a nested value', 'select count(m.x) as n from edge_logs as t cross join unnest(t.metadata) as m'],
  ['metadata, which an event may lack', 'select count(t.metadata) as n from edge_logs as t'],
  ['NULL', 'select count(null) as n from edge_logs'],
  [
    'the side that an outer join makes up',
    'select count(o.id) as n from edge_logs as e left join other as o on o.id = e.id',
  ],
  ['the other side', 'select count(e.id) as n from edge_logs as e right join other as o on o.id = e.id'],
  [
    'both sides of a full join',
    'select count(e.id) as n, count(o.id) as m from edge_logs as e full join other as o on o.id = e.id',
  ],
  [
    'what one arm of a set operation lacks',
    'select count(id) as n from (select id from edge_logs union all select cast(null as string) from other)',
  ],
  ['a key of ROLLUP', 'select count(id) as n from (select id, count(*) as k from edge_logs group by rollup(id))'],
  ['what is computed', "select count(nullif(id, 'x')) as n from edge_logs"],
])('counts values where it counts %s', (_, sql) => {
  expect(argumentsOf(sql)[0]).toBe(1);
});
