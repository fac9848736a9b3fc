import { describe, expect, it } from 'vitest';
import type { ParameterValue } from '../resolve/parameterValue.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { ResolvedQuery } from '../resolve/tree.ts';
import { caller, kinds, plan, planned, stored, type Values } from './plan.fixture.ts';
import { restrictToProjects } from './restrictToProjects.ts';
import { scanBounds } from './scanBounds.ts';

const start: ParameterValue = { kind: 'timestamp', micros: 1_000_000 };
const values: Values = { start, project: { kind: 'string', value: 'p' }, interval: { kind: 'string', value: 'hour' } };

const froms = (query: ResolvedQuery, given: Values = values): readonly (bigint | null)[] =>
  [...scanBounds(plan(query, given)).values()].map(({ fromMicros }) => fromMicros);

const dates = `with dates as (select case @interval when 'hour' then @start end as start, 'x' as name)`;
const events = 'sources.edge_logs as t';

describe('a bound from a table of constants stands at the scan', () => {
  it.each([
    ['CROSS JOIN', `${dates} select id from dates cross join ${events} where t.timestamp >= dates.start`],
    ['a comma', `${dates} select id from ${events}, dates where t.timestamp >= start`],
    ['JOIN ON', `${dates} select id from ${events} join dates on t.timestamp >= dates.start`],
    ['LEFT JOIN ON', `${dates} select t.id from dates left join ${events} on t.timestamp >= dates.start`],
    ['a scalar subquery', `${dates} select id from ${events} where t.timestamp >= (select start from dates)`],
    [
      'a scalar subquery with LIMIT',
      `${dates} select id from ${events} where t.timestamp >= (select start from dates limit 1)`,
    ],
    [
      'a correlated subquery',
      `${dates} select (select max(id) from ${events} where t.timestamp >= dates.start) from dates`,
    ],
    ['an array', `with a as (select [@start, null] as s) select id from a, ${events} where t.timestamp = @start`],
    [
      'a member of a struct',
      `with a as (select struct(1 as n, @start as s) as r) select id from a, ${events} where t.timestamp >= a.r.s`,
    ],
    [
      'a table of constants from one of constants',
      `${dates}, later as (select timestamp_trunc(start, second) as s from dates) select id from later, ${events} where t.timestamp >= later.s`,
    ],
    ['SELECT *', `${dates} select * from (select * from dates, ${events}) where timestamp >= start`],
    ['a pipe', `${dates} from dates |> cross join ${events} |> where t.timestamp >= start |> select id`],
  ])('through %s', (_title, sql) => {
    expect(froms(stored(sql))).toEqual([1_000_000n]);
  });

  it('for each reader of a table that is read often, of which nothing is left', () => {
    const sql = `${dates} select a.id, (select count(*) from dates) from dates as d cross join sources.edge_logs as a
      join sources.auth_logs as b on b.id = a.id and b.timestamp >= d.start where a.timestamp >= d.start`;
    expect(froms(stored(sql))).toEqual([1_000_000n, 1_000_000n]);
    expect(kinds(plan(stored(sql), values))).not.toContain('with');
  });

  it('of which a NULL lets nothing through', () => {
    const sql = `${dates} select id from dates cross join ${events} where t.timestamp >= dates.start`;
    const relation = plan(stored(sql), { ...values, interval: { kind: 'null' } });
    expect(relation).toMatchObject({ kind: 'filter', condition: { kind: 'literal', value: null } });
  });

  it('in the query of a caller, whose table hides the stored one of its name', () => {
    const tables = `with dates as (select timestamp '2026-01-01' as start),
      edge_logs as (select id, timestamp from ${events} where t.project = @project and t.timestamp >= (select start from dates))`;
    const sql = `with dates as (select timestamp '2026-02-01' as start) select id from dates, edge_logs where timestamp >= start`;
    expect(froms(caller(sql, tables))).toEqual([BigInt(Date.UTC(2026, 1, 1)) * 1000n]);
    expect(froms(caller('select id from edge_logs', tables))).toEqual([BigInt(Date.UTC(2026, 0, 1)) * 1000n]);
  });

  it('next to the project filter of the call', () => {
    const sql = `with mine as (select @project as p) select id from mine, ${events} where t.project = mine.p`;
    const of = (projects: readonly string[]) => {
      const query = stored(sql);
      const relation = restrictToProjects(query.relation, projects);
      return [...scanBounds(plan({ ...query, relation }, values)).values()].map((bounds) => bounds.projects);
    };
    expect(of(['p', 'q'])).toEqual([['p']]);
    expect(of(['q'])).toEqual([[]]);
  });
});

describe('a join with one row of constants', () => {
  it.each([
    [`${dates} select id, name from dates, ${events}`, ['scan']],
    [`${dates} select id from ${events} join dates on dates.name = t.id`, ['filter', 'scan']],
    [`${dates} select d.name, e.name from dates as d, dates as e`, ['oneRow']],
  ])('is none: %s', (sql, want) => {
    expect(kinds(plan(stored(sql), values))).toEqual(want);
  });

  it('gives the constants as outputs', () => {
    expect(planned(stored(`${dates} select name, id from dates, ${events}`), values).outputs).toMatchObject([
      { kind: 'literal', value: 'x' },
      { kind: 'column' },
    ]);
  });
});

describe('a column is no constant', () => {
  const name = (sql: string) => planned(stored(sql), values).outputs[0];

  it.each([
    ['in rows that LEFT JOIN makes up', `${dates} select d.name from ${events} left join dates as d on d.name = t.id`],
    [
      'in rows that RIGHT JOIN makes up',
      `${dates} select d.name from dates as d right join ${events} on d.name = t.id`,
    ],
    ['in rows that FULL JOIN makes up', `${dates} select d.name from dates as d full join ${events} on d.name = t.id`],
    [
      'in rows that a join above makes up',
      `${dates} select x.name from ${events} left join (select d.name from dates as d, sources.auth_logs) as x on true`,
    ],
    ['in rows that ROLLUP makes up', `${dates} select name from dates, ${events} group by rollup (name)`],
    ['in a union', `${dates} select name from (select name from dates union all select id from ${events})`],
    ['that is random', 'with a as (select rand() as r) select r from a'],
    ['that may fail', "with a as (select cast('x' as int64) as r) select r from a"],
    ['where there may be no row', `${dates} select (select name from dates where name = @project)`],
    ['where it is cut', `${dates} select (select name from dates limit 0)`],
    ['where it may be skipped', `${dates} select (select name from dates limit 1 offset 1)`],
    ['as an array of its one row', `${dates} select array(select name from dates)`],
  ])('%s', (_title, sql) => {
    expect(name(sql)?.kind).not.toBe('literal');
  });

  it('as one of two keys of ROLLUP that hold the same', () => {
    const sql = `with k as (select 'x' as a, 'x' as b) select a, b from k, ${events} group by rollup (a, b)`;
    const { relation } = planned(stored(sql));
    expect(relation).toMatchObject({ keys: [{ expr: { kind: 'column' } }, { expr: { kind: 'column' } }] });
  });

  it('where its value is computed and the table read twice: it is computed once', () => {
    const relation = plan(stored('with a as (select rand() as r) select x.r, y.r from a as x, a as y'));
    expect(relation).toMatchObject({ kind: 'with', tables: [{ name: 'a' }] });
  });

  it('where it is long, unless it is read once', () => {
    const isShared = (length: number) => {
      const relation = plan(
        stored(`with a as (select '${'y'.repeat(length)}' as r) select x.r, y.r from a as x, a as y`),
      );
      return kinds(relation).includes('with');
    };
    expect([isShared(1000), isShared(1001)]).toEqual([false, true]);
  });

  it('where structs of structs would grow without bound', () => {
    const chain = Array.from({ length: 8 }, (_, i) => `t${i + 1} as (select struct(s as a, s as b) as s from t${i})`);
    const query = stored(`with t0 as (select 1 as s), ${chain.join(', ')} select s from t8`);
    const { relation, outputs } = planned(query);
    const items = query.columns.map(({ column }, i) => ({
      column,
      expr: outputs[i] ?? ({ kind: 'column', column, type: column.type } as const),
    }));
    let structs = 0;
    walkRelation(
      { kind: 'project', input: relation, items },
      {
        expr: ({ kind }) => {
          structs += kind === 'struct' ? 1 : 0;
        },
      },
    );
    expect(structs).toBeGreaterThan(12);
    expect(structs).toBeLessThan(1000);
  });
});
