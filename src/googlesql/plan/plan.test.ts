import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCaller } from '../compile.ts';
import { defaultEngineLimits } from '../engineLimits.ts';
import type { ParameterValue } from '../resolve/parameterValue.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../resolve/traverse.ts';
import type { Relation } from '../resolve/tree.ts';
import { context, kinds, nowMicros, plan, stored } from './plan.fixture.ts';
import { checkPlanHeight } from './planHeight.ts';
import { projectParameters } from './projectParameters.ts';
import { restrictToProjects } from './restrictToProjects.ts';
import { type ScanBounds, scanBounds } from './scanBounds.ts';
import { withoutUnusedTables } from './usedTables.ts';

function onlyBounds(relation: Relation): Omit<ScanBounds, 'scan' | 'isFiltered'> {
  const [only, ...rest] = scanBounds(relation).values();
  if (only === undefined || rest.length > 0) throw new Error(`${rest.length + 1} scans`);
  const { scan: _, isFiltered: __, ...bounds } = only;
  return bounds;
}

const text = (value: string): ParameterValue => ({ kind: 'string', value });

describe('bounds of a scan', () => {
  const tables = `with edge_logs as (
      select t.timestamp, t.id, t.event_message, t.metadata from sources.edge_logs as t
      where t.project = @project and (@start is null or t.timestamp > @start)
    )`;

  it('come from the WITH table and from the caller together', () => {
    const query = compileCaller(
      "select count(*) from edge_logs cross join unnest(metadata) as m where timestamp <= '2026-05-01T10:00:00Z' and id != ''",
      `${tables} select 1`,
      context,
    );
    const start: ParameterValue = { kind: 'timestamp', micros: 1_000_000 };
    expect(onlyBounds(plan(query, { project: text('p'), start }))).toEqual({
      projects: ['p'],
      fromMicros: 1_000_001n,
      toMicros: BigInt(Date.UTC(2026, 4, 1, 10)) * 1000n,
    });
  });

  it('are open where an optional parameter is absent', () => {
    const query = stored(`${tables} select * from edge_logs`);
    expect(onlyBounds(plan(query, { project: text('p'), start: { kind: 'null' } }))).toEqual({
      projects: ['p'],
      fromMicros: null,
      toMicros: null,
    });
  });

  it('follow a window that CASE chooses by a parameter, measured from now', () => {
    const query = stored(
      "select id from sources.edge_logs where timestamp >= case @interval when 'day' then timestamp_sub(current_timestamp(), interval 1 day) else timestamp_trunc(current_timestamp(), hour) end",
    );
    expect(onlyBounds(plan(query, { interval: text('day') })).fromMicros).toBe(BigInt(nowMicros) - 86_400_000_000n);
    expect(onlyBounds(plan(query, { interval: text('other') })).fromMicros).toBe(
      BigInt(Date.UTC(2026, 4, 1, 12)) * 1000n,
    );
  });

  it('see the project in metadata where the stream is matched there', () => {
    const query = stored(
      'select id from sources.function_logs cross join unnest(metadata) as m where m.project_ref = @project',
    );
    expect(onlyBounds(plan(query, { project: text('p') })).projects).toEqual(['p']);
  });

  it.each([
    ['OR', "select id from sources.edge_logs where project = 'p' or id = 'x'"],
    [
      'the ON of a LEFT JOIN for its outer side',
      "select 1 from sources.edge_logs as t left join (select 'p' as x union all select 'q') as r on t.project = 'p'",
    ],
    ['a condition on an aggregate', "select max(project) as m from sources.edge_logs having m = 'p'"],
    [
      'keys that ROLLUP leaves out',
      "select project, id from sources.edge_logs group by rollup (project, id) having project = 'p'",
    ],
    ['a filter above LIMIT', "select id from (select * from sources.edge_logs limit 5) where project = 'p'"],
    [
      'a filter above a window',
      "select id, n from (select id, project, row_number() over (order by id) as n from sources.edge_logs) where project = 'p'",
    ],
    ['a negation', "select id from sources.edge_logs where not (project = 'p')"],
  ])('are not taken from %s', (_title, sql) => {
    expect(onlyBounds(plan(stored(sql))).projects).toBeNull();
  });

  it.each([
    ["project in ('q', 'p', null)", ['q', 'p']],
    ["project in ('p', 'q') and project = @project", ['p']],
    ["project = @project and project in ('q')", []],
    ["project in ('p', lower('Q'))", null],
    ["project not in ('p')", null],
  ])('take every list of projects: %s', (condition, projects) => {
    const query = stored(`select id from sources.edge_logs where ${condition}`);
    expect(onlyBounds(plan(query, { project: text('p') })).projects).toEqual(projects);
  });

  it('are kept apart for two scans', () => {
    const query = stored(
      "select 1 from sources.edge_logs a join sources.auth_logs b on a.id = b.id where a.project = 'x' and b.project = 'y'",
    );
    expect([...scanBounds(plan(query)).values()].map((bounds) => bounds.projects)).toEqual([['x'], ['y']]);
  });
});

describe('what bounds say all of', () => {
  it.each([
    ["project = 'p' and timestamp > '2026-05-01'", false],
    ["project in ('p', 'q')", false],
    ["project = 'p' and event_message like '%x%'", true],
    ["project = 'p' or project = 'q'", true],
    ["timestamp between '2026-05-01' and '2026-05-02' and metadata.request.method = 'GET'", true],
  ])('%s: filtered further %s', (condition, isFiltered) => {
    const [only] = scanBounds(plan(stored(`select id from sources.edge_logs where ${condition}`))).values();
    expect(only?.isFiltered).toBe(isFiltered);
  });
});

describe('restricted scans', () => {
  it('let only events of the projects through, wherever a scan stands', () => {
    const { relation } = stored(
      `with a as (select id from sources.edge_logs), b as (select 1 as one from a)
       select (select max(id) from sources.auth_logs), array(select id from sources.function_logs) from b as x
       join (select id from sources.pooler_logs union all select id from a) as y on y.id in (select id from sources.storage_logs)
       where exists (select 1 from sources.realtime_logs where metadata.project = 'z')
       order by (select count(*) from sources.database_logs)`,
    );
    const bounds = [...scanBounds(restrictToProjects(relation, ['p', 'q'])).values()];
    expect(new Set(bounds.map(({ scan }) => scan.source.name)).size).toBe(7);
    for (const { scan, projects } of bounds) {
      expect([scan.source.name, projects]).toEqual([
        scan.source.name,
        scan.source.name === 'realtime_logs' ? [] : ['p', 'q'],
      ]);
    }
  });
});

describe('parameters that name a project', () => {
  it.each([
    ['select id from sources.edge_logs where project = @project', ['project']],
    ['select id from sources.edge_logs where @project = project and @interval = id', ['project']],
    ['select id from sources.function_logs, unnest(metadata) as m where m.project_ref = @project', ['project']],
    ['select id from sources.function_logs, unnest(metadata) as m where m.function_id = @project', []],
    ['select id from sources.edge_logs where project = @project or true', []],
    ['select id from sources.edge_logs where regexp_contains(project, @project)', []],
    [
      "with a as (select id from sources.edge_logs where project = @project) select 'x' as x from (select 1) where @interval = 'y'",
      ['project'],
    ],
    [
      'with params as (select @project as p) select id from sources.edge_logs, params where project = params.p',
      ['project'],
    ],
    [
      'with params as (select @project as p) select id from sources.edge_logs where project = (select p from params)',
      ['project'],
    ],
    [
      'with params as (select upper(@project) as p) select id from sources.edge_logs, params where project = params.p',
      [],
    ],
    ['select * from (select id, project from sources.edge_logs) where project = @project or project = @interval', []],
  ])('%s', (sql, names) => {
    expect(projectParameters(stored(sql).relation).map((each) => [...each])).toEqual([names]);
  });

  it('are found in tables that a caller does not read, and not in what the caller writes', () => {
    const tables = `with edge_logs as (select id, metadata from sources.edge_logs where project = @project),
      auth_logs as (select metadata from sources.realtime_logs) select 1`;
    const names = (sql: string) =>
      projectParameters(compileCaller(sql, tables, context).relation).map((each) => [...each]);
    expect(names('select 1')).toEqual([['project'], []]);
    expect(names('select 1 from auth_logs where metadata.project = @interval')).toEqual([['project'], []]);
  });
});

describe('WITH tables', () => {
  it('that nothing reads are not run', () => {
    expect(
      kinds(
        plan(
          stored('with a as (select count(*) as n from sources.auth_logs), b as (select 1 as one) select one from b'),
        ),
      ),
    ).not.toContain('scan');
  });

  it('that are read once stand where they are read', () => {
    const found = kinds(
      plan(
        stored('with a as (select id, count(*) as n from sources.auth_logs group by id) select n from a where n > 1'),
      ),
    );
    expect(found).not.toContain('with');
  });

  it('that only filter a scan are scanned once for each reader, with columns of its own', () => {
    const relation = plan(
      stored(
        'with a as (select id from sources.auth_logs where id > "m") select x.id from a as x join a as y on x.id = y.id',
      ),
    );
    expect(kinds(relation).filter((kind) => kind === 'scan')).toHaveLength(2);
    expect(new Set(scanBounds(relation).keys()).size).toBe(2);
  });

  it('that aggregate and are read twice are computed once', () => {
    const found = kinds(
      plan(
        stored(
          'with a as (select id, count(*) as n from sources.auth_logs group by id) select x.n from a as x join a as y on x.id = y.id',
        ),
      ),
    );
    expect(found).toContain('with');
    expect(found.filter((kind) => kind === 'scan')).toHaveLength(1);
  });

  it('that double in a chain do not grow the plan without bound', () => {
    const chain = Array.from(
      { length: 25 },
      (_, i) => `t${i + 1} as (select x.id from t${i} as x join t${i} as y on x.id = y.id)`,
    );
    const relation = plan(
      stored(`with t0 as (select id from sources.auth_logs), ${chain.join(', ')} select id from t25`),
    );
    expect(kinds(relation).length).toBeLessThan(400);
  });
});

describe('path reads', () => {
  const pathsByKind = (sql: string): Readonly<Record<string, readonly string[]>> => {
    const found: Record<string, string[]> = {};
    walkRelation(plan(stored(sql)), {
      relation: (below) => {
        const mapper: Mapper = {
          relation: (inner) => inner,
          expr: (expr) => {
            if (expr.kind === 'pathRead') found[below.kind] = [...(found[below.kind] ?? []), expr.path.join('.')];
            return mapExpr(expr, mapper);
          },
        };
        mapRelation(below, mapper);
      },
    });
    return found;
  };

  it('through a projection that computes something else stand in that projection', () => {
    const sql = `select r.method from (select upper(id) as up, metadata.request as r from sources.edge_logs)
      where r.method != 'GET' and up = 'A' order by r.path`;
    expect(pathsByKind(sql)).toEqual({ project: ['request', 'request.method', 'request.method', 'request.path'] });
  });

  it('do not pass DISTINCT, whose columns they would join', () => {
    const sql =
      'select r.method from (select distinct upper(id) as up, metadata.request as r from sources.edge_logs) where r.path is null';
    expect(pathsByKind(sql)).toMatchObject({ filter: ['path'] });
  });
});

describe('WITH tables that read one another in a chain', () => {
  const chain = (tables: number) => {
    const each = Array.from({ length: tables }, (_, n) => `t${n + 1} as (select id from t${n} where id > 'a')`);
    return stored(`with t0 as (select id from sources.edge_logs), ${each.join(', ')} select id from t${tables}`);
  };

  it('are refused by name as soon as they are too many for a pass that recurses', () => {
    const { relation } = chain(100);
    expect(() => checkPlanHeight(withoutUnusedTables(relation), defaultEngineLimits)).not.toThrow();
    expect(() => chain(450)).toThrow(/nested more than/);
  });

  it('are measured once, however many subqueries read them', () => {
    const tables = Array.from({ length: 100 }, (_, n) => `t${n + 1} as (select * from t${n})`).join(', ');
    const reads = Array.from({ length: 390 }, (_, n) => `(select count(*) from t${100 - (n % 9)}) as c${n}`).join(', ');
    const { relation } = stored(`with t0 as (select 1 as x), ${tables} select ${reads}`);
    expect(() => checkPlanHeight(withoutUnusedTables(relation), defaultEngineLimits)).not.toThrow();
  });
});

describe('unused WITH tables', () => {
  it('are left out before anything else is done with them, those that only unused ones read among them', () => {
    const { relation } = stored(
      `with a as (select 1 as x), b as (select x from a), c as (select 2 as y), d as (select y from c where y in (select 2))
       select y from d`,
    );
    const kept = withoutUnusedTables(relation);
    expect(kept.kind === 'with' && kept.tables.map(({ name }) => name)).toEqual(['c', 'd']);
  });
});

describe('folding', () => {
  const value = (sql: string): unknown => {
    const relation = plan(stored(`select id from sources.edge_logs where ${sql}`));
    const filter = relation.kind === 'filter' ? relation.condition : null;
    return filter?.kind === 'literal' ? filter.value : 'not folded';
  };

  it.each([
    ['null = null', null],
    ['null and false', false],
    ['null or true', true],
    ["'a' in ('b', null)", null],
    ["'a' in ('b', 'a', null)", true],
    ['not null', null],
    ['null is null', true],
    ["case 'x' when 'y' then true end", null],
    ["coalesce(null, 'a') = 'a'", true],
    ["timestamp_add(timestamp '2026-05-01', interval 90 minute) = timestamp '2026-05-01 01:30:00'", true],
    ["timestamp_trunc(timestamp '1969-12-31 23:59:59.5', day) = timestamp '1969-12-31'", true],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', week) = timestamp '2026-04-26'", true],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', isoweek) = timestamp '2026-04-27'", true],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', week(friday)) = timestamp '2026-05-01'", true],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', week(saturday)) = timestamp '2026-04-25'", true],
    ["timestamp_trunc(timestamp '1969-12-30 10:00:00', isoweek) = timestamp '1969-12-29'", true],
    ["timestamp_trunc(timestamp '1969-12-31 10:00:00', month) = timestamp '1969-12-01'", true],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', quarter) = timestamp '2026-04-01'", true],
    ["date_sub('2026-03-31', interval 1 month) = date '2026-02-28'", true],
    ["date_add(date '2024-01-31', interval 1 month) = date '2024-02-29'", true],
    ["date_sub(date '2026-05-01', interval 1 quarter) = date '2026-02-01'", true],
    ["date_add(date '9999-12-31', interval 1 day) is null", 'not folded'],
    ["timestamp_add(timestamp '0001-01-01', interval -1 microsecond) is null", 'not folded'],
    ["date_trunc(date '2026-05-01', week(monday)) = date '2026-04-27'", true],
    ["date_diff(date '2026-05-01', date '2026-04-26', week) = 0", true],
    ["date_diff(date '2025-12-31', date '2026-01-01', year) = -1", true],
    ["timestamp_diff(timestamp '2026-05-01', timestamp '2026-05-01 01:30:00', hour) = -1", true],
    ["timestamp('2026-05-01 02:00:00+02:00') = timestamp '2026-05-01'", true],
    ["date('2026-05-01 01:00:00+02:00') = date '2026-04-30'", true],
    ["timestamp('2026-5-1') is null", 'not folded'],
    ["timestamp('2026-05-01 10:00:00 Europe/Helsinki') is null", 'not folded'],
    ["cast('2026-05-01' as date) = date(2026, 5, 1)", true],
    ['date(2026, 2, 29) is null', 'not folded'],
    ["timestamp_millis(1777593600000) = timestamp '2026-05-01'", true],
    ['timestamp_seconds(9223372036854775807) is null', 'not folded'],
    ["cast(timestamp '1969-12-31 23:59:59.999999' as date) = date '1969-12-31'", true],
    ['greatest(3, 5, 4) - least(7, 2) * 2 = 1', true],
    ['9223372036854775807 + 1 is null', 'not folded'],
    ["current_date('Europe/Helsinki') is null", 'not folded'],
    ["timestamp_trunc(timestamp '2024-02-29 10:00:00', year) = timestamp '2024-01-01'", true],
    ["timestamp_trunc(timestamp '0001-01-01 10:00:00', year) = timestamp '0001-01-01'", true],
    ["timestamp_trunc(timestamp '0001-01-01 10:00:00', week) = timestamp '0001-01-01'", 'not folded'],
    ["timestamp_trunc(timestamp '2026-05-01 10:00:00', isoyear) = timestamp '2025-12-29'", 'not folded'],
    [
      "timestamp_trunc(timestamp '2026-05-01 10:00:00', month, 'Europe/Helsinki') = timestamp '2026-05-01'",
      'not folded',
    ],
  ])('knows %s', (sql, want) => {
    expect(value(sql)).toBe(want);
  });

  it('agrees with plain three-valued logic on random conditions', () => {
    type Logic = { sql: string; value: boolean | null };
    const leaf = fc.constantFrom<Logic>(
      { sql: 'true', value: true },
      { sql: 'false', value: false },
      { sql: 'cast(null as bool)', value: null },
    );
    const { tree } = fc.letrec<{ tree: Logic }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => ({
          sql: `(${a.sql} and ${b.sql})`,
          value: a.value === false || b.value === false ? false : a.value === null || b.value === null ? null : true,
        })),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => ({
          sql: `(${a.sql} or ${b.sql})`,
          value: a.value === true || b.value === true ? true : a.value === null || b.value === null ? null : false,
        })),
        tie('tree').map((a) => ({ sql: `(not ${a.sql})`, value: a.value === null ? null : !a.value })),
      ),
    }));
    fc.assert(
      fc.property(tree, (logic) => {
        const folded = value(logic.sql);
        // A NULL operand may stay beside others; what is folded must be right.
        if (folded !== 'not folded') expect(folded).toBe(logic.value);
        else expect(logic.sql).toContain('null');
      }),
    );
  });
});
