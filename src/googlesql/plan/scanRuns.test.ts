import { describe, expect, it } from 'vitest';
import { nowMicros, plan, stored } from './plan.fixture.ts';
import { type PlannedRedaction, QueryPlanner } from './queryPlan.ts';
import { scanBounds } from './scanBounds.ts';

const p = 'abcdefghijklmnopqrst';
const q = 'qrstuvwxyzabcdefghij';
const u = 't.metadata.request.url';
const hasP = `regexp_contains(${u}, r'${p}')`;
const hasQ = `regexp_contains(${u}, r'${q}')`;
const from = 'from sources.edge_logs as t';
const runP = { path: ['request', 'url'], run: p };
const runQ = { path: ['request', 'url'], run: q };

/** The runs of each scan. */
const runsOf = (sql: string) => [...scanBounds(plan(stored(sql))).values()].map(({ runs = [] }) => runs);
/** Every scan with runs also has events that they do not describe. */
const isFiltered = (sql: string) => [...scanBounds(plan(stored(sql))).values()].every((each) => each.isFiltered);

describe('runs that the texts of a scan contain', () => {
  it.each([
    hasP,
    `not not ${hasP}`,
    `${hasP} and ${u} is not null`,
    `${hasP} or ${hasP}`,
    `(${hasP} and t.id = 'x') or (t.id = 'y' and ${hasP})`,
    `not (not ${hasP} or t.id = 'x')`,
    `${hasP} is true`,
    `coalesce(${hasP}, false)`,
    `if(t.id = 'x', ${hasP}, false)`,
    `case when t.id = 'x' then ${hasP} when t.id = 'y' then false end`,
    `regexp_contains(${u}, r'https://${p}\\.example')`,
    `regexp_contains(t.metadata.request.url, '${p}')`,
  ])('come from %s', (condition) => {
    const sql = `select t.id ${from} where ${condition}`;
    expect(new Set(runsOf(sql).flat())).toEqual(new Set([runP]));
    expect(isFiltered(sql)).toBe(true);
  });

  it.each([
    ['AND', `${hasP} and ${hasQ}`],
    ['NOT (OR)', `not (not ${hasP} or not ${hasQ})`],
    ['AND with OR', `${hasP} and (${hasQ} or (${hasP} and ${hasQ}))`],
  ])('are several with %s', (_, condition) => {
    expect(new Set(runsOf(`select t.id ${from} where ${condition}`)[0])).toEqual(new Set([runP, runQ]));
  });

  it.each([
    `not ${hasP}`,
    `${hasP} is not true`,
    `${hasP} is false`,
    `${hasP} is null`,
    `${hasP} = false`,
    `${hasP} != true`,
    `${hasP} or ${hasQ}`,
    `${hasP} or t.id = 'x'`,
    `not (${hasP} and ${hasQ})`,
    `${hasP} or regexp_contains(t.metadata.request.path, r'${p}')`,
    `coalesce(${hasP}, true)`,
    `if(${hasP}, true, t.id = 'x')`,
    `if(t.id = 'x', true, ${hasP})`,
    `case when t.id = 'x' then ${hasQ} else ${hasP} end`,
    `case when ${hasP} then t.id = 'x' else true end`,
    `regexp_contains(${u}, r'(?i)${p}')`,
    `regexp_contains(${u}, r'${p}?')`,
    `regexp_contains(${u}, r'${p}|x')`,
    `regexp_contains(${u}, null)`,
    `regexp_contains('${p}', ${u})`,
    `regexp_contains(lower(${u}), r'${p}')`,
    `regexp_contains(concat(${u}, 'x'), r'${p}')`,
    `regexp_contains(ifnull(${u}, ''), r'${p}')`,
    `regexp_contains(to_json_string(t.metadata), r'${p}')`,
    `regexp_contains(t.event_message, r'${p}')`,
    `regexp_contains(t.project, r'${p}')`,
    `${u} like '%${p}%'`,
    `starts_with(${u}, '${p}')`,
    `exists(select 1 from sources.auth_logs as s where ${hasP})`,
    `t.id in (select s.id from sources.auth_logs as s where ${hasP})`,
  ])('do not come from %s', (condition) => {
    expect(runsOf(`select t.id ${from} where ${condition}`).flat()).toEqual([]);
  });

  const urls = `(select t.id, ${u} as u ${from})`;
  it.each([
    ['a subquery', `select id from ${urls} where regexp_contains(u, r'${p}')`, [[runP]]],
    ['a table', `with t as ${urls} select id from t where regexp_contains(u, r'${p}')`, [[runP]]],
    [
      'one of two readers of a table',
      `with t as ${urls} select a.id from t as a join t as b on a.id = b.id where regexp_contains(a.u, r'${p}')`,
      [[], [runP]],
    ],
    [
      'an element',
      `select t.id ${from}, unnest(t.metadata.request) as r where regexp_contains(r.url, r'${p}')`,
      [[runP]],
    ],
    [
      'an element of an element',
      `select t.id ${from}, unnest(t.metadata) as m, unnest(m.request) as r where regexp_contains(r.url, r'${p}')`,
      [[runP]],
    ],
    [
      'a member of a column of a subquery',
      `select id from (select t.id, t.metadata.request as r ${from}), unnest(r) as q where regexp_contains(q.url, r'${p}')`,
      [[runP]],
    ],
    ['a group', `select ${u} as u, count(*) as n ${from} group by u having regexp_contains(u, r'${p}')`, [[runP]]],
    ['an aggregate', `select max(${u}) as u ${from} having regexp_contains(u, r'${p}')`, [[]]],
    [
      'aggregates of groups',
      `select t.id, max(${u}) as u ${from} group by t.id having regexp_contains(u, r'${p}')`,
      [[]],
    ],
    ['limited rows', `select id from (select t.id, ${u} as u ${from} limit 3) where regexp_contains(u, r'${p}')`, [[]]],
    [
      'rows with a window',
      `select id, n from (select t.id, ${u} as u, count(*) over () as n ${from}) where regexp_contains(u, r'${p}')`,
      [[]],
    ],
    [
      'rows with a window over others',
      `select id, n from (select t.id, ${u} as u, count(*) over (partition by t.project) as n ${from}) where regexp_contains(u, r'${p}')`,
      [[]],
    ],
    [
      'one side of a join',
      `select t.id ${from} join sources.edge_logs as s on t.id = s.id where ${hasP}`,
      [[], [runP]],
    ],
    ['one arm of a union', `select t.id ${from} where ${hasP} union all select t.id ${from}`, [[], [runP]]],
    [
      'the left of a left join, in its condition',
      `select t.id ${from} left join sources.edge_logs as s on ${hasP}`,
      [[], []],
    ],
    [
      'the right of a left join, in its condition',
      `select s.id from sources.edge_logs as s left join sources.edge_logs as t on ${hasP}`,
      [[], [runP]],
    ],
    ['a full join, in its condition', `select t.id ${from} full join sources.edge_logs as s on ${hasP}`, [[], []]],
    [
      'another element of the same name',
      `select t.id ${from}, unnest(t.metadata.response) as r where regexp_contains(r.url, r'${p}')`,
      [[{ path: ['response', 'url'], run: p }]],
    ],
  ])('are those of %s', (_, sql, expected) => {
    expect(runsOf(sql).toSorted((a, b) => a.length - b.length)).toEqual(expected);
  });

  it('are few, however many conditions there are', () => {
    const conditions = Array.from({ length: 300 }, (_, i) => `regexp_contains(${u}, r'${p}${i}')`);
    const all = conditions.join(' and ');
    expect(runsOf(`select t.id ${from} where ${all}`).map(({ length }) => length)).toEqual([4]);
    expect(runsOf(`select t.id ${from} where (${all}) or (${all} and t.id = 'x')`).map(({ length }) => length)).toEqual(
      [4],
    );
    const nested = conditions
      .slice(0, 30)
      .reduce(
        (query, each) => `select t.id, t.metadata from (${query}) as t where ${each}`,
        `select t.id, t.metadata ${from}`,
      );
    expect(runsOf(nested).map(({ length }) => length)).toEqual([4]);
  });

  it('are not used by a plan that redacts, because a mark can have the run', () => {
    const redaction = { tag: 1, personalNumbers: () => new Set<string>() };
    const query = stored(`select t.id ${from} where ${hasP}`);
    const planner = new QueryPlanner();
    const request = { query, parameters: new Map(), projects: null, nowMicros };
    const runs = (of: PlannedRedaction | null) => {
      const { bounds } = planner.plan({ ...request, redaction: of === null ? null : 'all' }, of);
      return [...bounds.values()].map((each) => each.runs);
    };
    expect(runs(null)).toEqual([[runP]]);
    expect(runs(redaction)).toEqual([undefined]);
    expect(runs(null)).toEqual([[runP]]);
  });
});
