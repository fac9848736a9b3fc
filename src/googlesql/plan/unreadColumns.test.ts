import { describe, expect, it } from 'vitest';
import { walkRelation } from '../resolve/traverse.ts';
import type { Relation, ResolvedQuery } from '../resolve/tree.ts';
import { outputLineage } from './lineage.ts';
import { caller, kinds, plan, stored } from './plan.fixture.ts';
import { scanBounds } from './scanBounds.ts';

const events = 'sources.edge_logs';

/** The functions of all aggregates and window calls, innermost last. */
function calls(query: ResolvedQuery): readonly string[] {
  const found: string[] = [];
  walkRelation(plan(query), {
    relation: (below) => {
      if (below.kind === 'aggregate') found.push(...below.aggregates.map(({ fn }) => fn));
      if (below.kind === 'window') found.push(...below.calls.map(({ fn }) => fn));
    },
  });
  return found;
}

const grouped = `with g as (select id, count(*) as n, max(timestamp) as last, min(timestamp) as first from ${events} group by id)`;

describe('what nothing reads is not computed', () => {
  it.each([
    ['an aggregate', `${grouped} select id, n from g`, ['count']],
    [
      'an aggregate of a table that is read twice',
      `${grouped} select a.n from g as a join g as b on a.last = b.last`,
      ['count', 'max'],
    ],
    ['every aggregate', `${grouped} select id from g`, []],
    ['a window call', `select id from (select id, row_number() over (order by id) as r from ${events})`, []],
    [
      'what only reads something unread',
      `select id from (select id, n + 1 as more from (select id, count(*) over () as n from ${events}))`,
      [],
    ],
  ])('%s', (_title, sql, want) => {
    expect(calls(stored(sql))).toEqual(want);
  });

  it('a window of which no call is left', () => {
    const sql = `select id from (select id, row_number() over (order by id) as r from ${events})`;
    expect(kinds(plan(stored(sql)))).toEqual(['scan']);
  });

  it('a column of a stored table that a caller leaves out, also below an optimization barrier', () => {
    const tables = `with counts as (select id, count(*) as n, max(timestamp) as last from ${events} where regexp_contains(project, @project) group by id)`;
    expect(calls(caller('select n from counts', tables))).toEqual(['count']);
    expect(kinds(plan(caller('select n from counts', tables)))).toContain('limit');
  });
});

describe('what somebody reads is computed', () => {
  it.each([
    ['HAVING', `select id from ${events} group by id having max(timestamp) > '2026-01-01'`, ['max']],
    ['QUALIFY', `select id from ${events} qualify row_number() over (order by timestamp) = 1`, ['row_number']],
    ['ORDER BY', `${grouped} select id from g order by n`, ['count']],
    ['ON', `${grouped} select t.id from ${events} as t left join g on g.last = t.timestamp`, ['max']],
    [
      'DISTINCT',
      `select id from (select distinct id, n from (select id, count(*) as n from ${events} group by id))`,
      ['count'],
    ],
    [
      'a set operation',
      `${grouped} select id from (select id, n from g union all select event_message, 1 from ${events})`,
      ['count'],
    ],
    ['IN', `${grouped} select 1 from ${events} where 3 in (select n from g)`, ['count']],
    ['a scalar subquery', `${grouped} select (select max(n) from g)`, ['max', 'count']],
    [
      'a correlated subquery',
      `${grouped} select (select count(*) from ${events} as t where t.timestamp = g.first) from g`,
      ['min', 'count'].toReversed(),
    ],
    ['UNNEST', `select x from (select array_agg(id) as ids from ${events}), unnest(ids) as x`, ['array_agg']],
    [
      'a table that another table reads',
      `${grouped}, h as (select n from g where last is not null) select a.n, b.n from h as a, h as b`,
      ['count', 'max'],
    ],
  ])('by %s', (_title, sql, want) => {
    expect(calls(stored(sql)).toSorted()).toEqual(want.toSorted());
  });
});

describe('rows stay', () => {
  it('one of an aggregate without keys, and one for each key', () => {
    const aggregate = (sql: string) => {
      const found: Relation[] = [];
      walkRelation(plan(stored(sql)), { relation: (below) => below.kind === 'aggregate' && found.push(below) });
      return found[1];
    };
    expect(aggregate(`select count(*) from (select count(*) as n from ${events})`)).toMatchObject({
      keys: [],
      aggregates: [],
    });
    expect(aggregate(`select count(*) from (select id, count(*) as n from ${events} group by id)`)).toMatchObject({
      keys: [{}],
      aggregates: [],
    });
  });

  it('of a table from which no column is read', () => {
    const relation = plan(stored(`${grouped} select count(*) from g as a, g as b`));
    expect(relation).toMatchObject({ kind: 'with', tables: [{ columns: [] }] });
    expect(scanBounds(relation).size).toBe(1);
  });
});

it('does not change where the values of a query come from', () => {
  const query = stored(`${grouped} select last, id from g`);
  const before = outputLineage(query);
  plan(query);
  expect(outputLineage(query)).toEqual(before);
  expect(before).toEqual([[['timestamp']], [['id']]]);
});
