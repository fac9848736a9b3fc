import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileStored } from '../compile.ts';
import { outputLineage } from './lineage.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));

/** By column, members that its values are made of. */
function lineageOf(
  select: string,
  from = 'cross join unnest(t.metadata) as m',
): Readonly<Record<string, readonly string[]>> {
  const query = compileStored(`${select} from sources.edge_logs as t ${from}`, { sources, parameters: new Map() });
  const lineage = outputLineage(query);
  return Object.fromEntries(
    query.columns.map(({ name }, i) => [name, (lineage[i] ?? []).map((path) => path.join('.')).sort()]),
  );
}

describe('what the values of a column are made of', () => {
  it.each<[string, readonly string[]]>([
    ['m.user_email', ['metadata.user_email']],
    ['t.event_message', ['event_message']],
    ['t.id', ['id']],
    ["concat('<', m.user_email, t.id)", ['id', 'metadata.user_email']],
    ['format(t.event_message, m.user_email)', ['event_message', 'metadata.user_email']],
    ['cast(m.request.cf.longitude as float64) + 1', ['metadata.request.cf.longitude']],
    ["json_value(t.metadata, '$.request.headers.x_real_ip')", ['metadata.request.headers.x_real_ip']],
    ['parse_json(t.event_message).user_email', ['event_message.user_email']],
    // What looks like a path names no member here.
    ["json_array(m.user_email, '$.id')", ['metadata.user_email']],
    ["json_object('a', m.user_email, '$.b', t.id)", ['id', 'metadata.user_email']],
    // Names that the query gives stand in no event: rules go by the paths of members there.
    ["json_object('a', m.request, 'b', t.id).a.cf", ['metadata.request.cf']],
    ["json_value(json_object('a', json_array(m.request)), '$.a[0].cf.asn')", ['metadata.request.cf.asn']],
    ['to_json(struct(m.request as a, t.id as b)).a.cf', ['metadata.request.cf']],
    ['parse_json(to_json_string(struct(m.request as a))).a.cf', ['metadata.request.cf']],
    ["(select s.o.a.cf from (select struct(json_object('a', m.request) as o) as s))", ['metadata.request.cf']],
    ["json_object('a', m.request).b.cf", ['metadata.request.cf']],
    ["array_last(json_query_array(json_object('a', [m.request]), '$.a')).cf", ['metadata.request.cf']],
    ['range_bucket(length(m.user_email), [1, 10])', ['metadata.user_email']],
    ['array_last(array_slice(split(m.user_email), 0, 1))', ['metadata.user_email']],
    ['[m.user_email, t.id][offset(0)]', ['id', 'metadata.user_email']],
    ['struct(m.user_email as a, t.id as b).b', ['id']],
    ['struct(m.user_email as a, t.id as b)', ['id', 'metadata.user_email']],
    ["case when m.user_email = 'a' then t.id else 'x' end", ['id']],
    ['if(m.user_email is null, 1, 2)', []],
    ["m.user_email = 'a'", []],
    ['length(m.user_email)', ['metadata.user_email']],
    ["'constant'", []],
    ['(select max(a.id) from sources.auth_logs as a)', ['id']],
    ['array(select cast(n.user_email as string) from unnest(t.metadata) as n)', ['metadata.user_email']],
    ['exists(select 1 from unnest(t.metadata) as n where n.user_email is null)', []],
    ['first_value(m.user_email) over (order by t.timestamp)', ['metadata.user_email']],
    ['row_number() over (order by m.user_email)', []],
    ['count(m.user_email) over ()', []],
  ])('%s', (expression, members) => {
    expect(lineageOf(`select ${expression} as x`).x).toEqual(members);
  });

  it('is followed through aggregation, tables, joins and set operations', () => {
    expect(
      lineageOf(
        'select m.user_email as k, max(m.request.path) as p, count(distinct m.user_email) as n, array_agg(t.id) as a',
        'cross join unnest(t.metadata) as m group by 1',
      ),
    ).toEqual({
      k: ['metadata.user_email'],
      p: ['metadata.request.path'],
      n: [],
      a: ['id'],
    });
    const query = compileStored(
      `with a as (select m.user_email as e, t.id from sources.edge_logs as t cross join unnest(t.metadata) as m),
            b as (select e as f, id from a union all select event_message, id from sources.auth_logs)
       select b.f as x, a.id as y from b join a on a.id = b.id`,
      { sources, parameters: new Map() },
    );
    expect(outputLineage(query).map((paths) => paths.map((path) => path.join('.')).sort())).toEqual([
      ['event_message', 'metadata.user_email'],
      ['id'],
    ]);
  });

  it('is followed by name through set operations that match columns by name', () => {
    const edge = 'sources.edge_logs as t cross join unnest(t.metadata) as m';
    const lineage = (sql: string) => {
      const query = compileStored(sql, { sources, parameters: new Map() });
      const paths = outputLineage(query).map((each) => each.map((path) => path.join('.')).sort());
      return Object.fromEntries(query.columns.map(({ name }, i) => [name, paths[i]]));
    };
    expect(
      lineage(`select t.id as x, m.user_email as y from ${edge}
               union all by name select m.request.path as y, t.event_message as x from ${edge}`),
    ).toEqual({ x: ['event_message', 'id'], y: ['metadata.request.path', 'metadata.user_email'] });
    expect(
      lineage(
        `select t.id as x from ${edge} full outer union all by name select m.user_email as y, t.event_message as x from ${edge}`,
      ),
    ).toEqual({ x: ['event_message', 'id'], y: ['metadata.user_email'] });
    expect(
      lineage(`select t.id as x, t.event_message as z from ${edge}
               left union all by name select m.user_email as y, m.request.path as x from ${edge}`),
    ).toEqual({ x: ['id', 'metadata.request.path'], z: ['event_message'] });
    expect(
      lineage(`select t.id as x, t.event_message as z from ${edge}
               union all by name on (z) select m.user_email as y, m.request.path as z from ${edge}`),
    ).toEqual({ z: ['event_message', 'metadata.request.path'] });
    expect(
      lineage(`from ${edge} |> select t.id as x, m.user_email as y
               |> union all corresponding (select m.request.path as y, t.event_message as x from ${edge})`),
    ).toEqual({ x: ['event_message', 'id'], y: ['metadata.request.path', 'metadata.user_email'] });
  });

  it('is followed through keys that are STRUCTs, steps of ROLLUP and functions of byte strings', () => {
    const keyed = 'cross join unnest(t.metadata) as m group by';
    expect(lineageOf('select struct(m.user_email as a, t.id as b) as k, count(*) as n', `${keyed} 1`)).toEqual({
      k: ['id', 'metadata.user_email'],
      n: [],
    });
    expect(
      lineageOf(
        'select m.user_email as a, t.id as b, upper(m.user_email) as c, count(*) as n',
        `${keyed} rollup((m.user_email, t.id), m.request.path)`,
      ),
    ).toEqual({ a: ['metadata.user_email'], b: ['id'], c: ['metadata.user_email'], n: [] });
    expect(
      lineageOf(
        `select string_agg(cast(m.user_email as bytes), b',') as a, bit_xor(sha256(t.id)) as b,
           approx_quantiles(cast(t.event_message as bytes), 2) as c, cast(m.user_email as bytes) like b'a%' as d`,
        'cross join unnest(t.metadata) as m group by d',
      ),
    ).toEqual({ a: ['metadata.user_email'], b: ['id'], c: ['event_message'], d: [] });
    expect(
      lineageOf(
        "select percentile_disc(m.user_email, 0.5 respect nulls) over () as p, m['user' || '_email'] as e, to_json_string(m.request, t.id = 'a') as j",
      ),
    ).toEqual({ p: ['metadata.user_email'], e: ['metadata.user_email'], j: ['metadata.request'] });
  });
});
