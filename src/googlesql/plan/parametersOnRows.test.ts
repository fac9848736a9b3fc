import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileStored } from '../compile.ts';
import { parametersOnRows } from './parametersOnRows.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const parameters = new Map([
  ['s', 'string'],
  ['n', 'int64'],
  ['f', 'float64'],
  ['p', 'string'],
  ['t', 'timestamp'],
  ['a', 'array<string>'],
] as const);

const metOf = (text: string): readonly string[] =>
  [...parametersOnRows(compileStored(text, { sources, parameters }).relation)].sort();

const where = (condition: string): readonly string[] =>
  metOf(
    `select t.id from sources.edge_logs as t cross join unnest(t.metadata) as m where t.project = @p and (${condition})`,
  );

describe('parameters that meet texts of events', () => {
  it.each([
    'regexp_contains(t.event_message, @s)',
    'm.request.url like @s',
    "m.request.url like concat('%', @s, '%')",
    'strpos(t.event_message, @s) > 0',
    'starts_with(m.request.path, @s)',
    'm.request.path = @s',
    '@s = m.request.path',
    'm.request.path != @s',
    "m.request.path in ('a', @s)",
    'coalesce(@s, m.request.path) = m.request.path',
    'if(m.request.path = @s, 1, 0) = 1',
    'case m.request.path when @s then true else false end',
    't.id > @s',
    't.id like @s',
    'm.project = @s',
    '@s in unnest(split(t.event_message))',
    '@s in (select a.event_message from sources.auth_logs as a)',
    'm.request.path in (select @s)',
    'exists (select 1 from sources.auth_logs as a where a.event_message = @s)',
    'exists (select 1 from unnest([@s]) as needle where strpos(t.event_message, needle) > 0)',
    'json_value(t.metadata, @s) is not null',
    '[@s, m.request.path][offset(0)] = "x"',
    'm.request.path is not distinct from @s',
    't.event_message between @s and "z"',
    'nullif(m.request.path, @s) is null',
    'greatest(m.request.path, @s) = "x"',
  ])('%s', (condition) => {
    expect(where(condition)).toEqual(['s']);
  });

  it.each([
    'm.request.path in unnest(@a)',
    't.id in unnest(@a)',
    '@a is null or m.request.path in unnest(@a)',
    'exists (select 1 from unnest(@a) as needle where strpos(t.event_message, needle) > 0)',
    'm.request.path = @a[safe_offset(0)]',
  ])('are arrays as well: %s', (condition) => {
    expect(where(condition)).toEqual(['a']);
  });

  it('are numbers as well, as a number can pick a character', () => {
    expect(where("substr(t.event_message, @n, 1) = 'a'")).toEqual(['n']);
    expect(where('m.request.cf.latitude > @f')).toEqual(['f']);
    expect(where('length(t.event_message) = @n')).toEqual(['n']);
  });

  it('are followed through tables, columns, aggregates and set operations', () => {
    const logs = 'sources.edge_logs as t where t.project = @p';
    expect(
      metOf(`with needles as (select @s as needle), logs as (select event_message from ${logs})
        select count(*) as n from logs, needles where strpos(event_message, needle) > 0`),
    ).toEqual(['s']);
    expect(metOf(`select max(upper(event_message)) as x from ${logs} having max(upper(event_message)) > @s`)).toEqual([
      's',
    ]);
    expect(
      metOf(`select count(*) as n from (select event_message as x from ${logs} union distinct select @s)`),
    ).toEqual(['s']);
    expect(
      metOf(`select a.id from sources.edge_logs as a join (select @s as k) as b on a.event_message = b.k`),
    ).toEqual(['s']);
    expect(metOf(`select string_agg(event_message, @s) as x from ${logs}`)).toEqual(['s']);
    expect(metOf(`select id from ${logs} order by strpos(event_message, @s)`)).toEqual(['s']);
  });

  it('are what a value is in one row where it is a text in another, and rows are compared', () => {
    const logs = 'sources.edge_logs as t where t.project = @p';
    const chosen = "case when id = 'a' then event_message else @s end";
    expect(metOf(`select count(*) as n from ${logs} having count(distinct ${chosen}) = 1`)).toEqual(['s']);
    expect(metOf(`select count(*) as n from ${logs} having max(if(id = 'a', event_message, @s)) = 'x'`)).toEqual(['s']);
    expect(metOf(`select count(*) as n from (select coalesce(${chosen}, 'x') as c from ${logs}) group by c`)).toEqual([
      's',
    ]);
    expect(metOf(`select id from ${logs} qualify count(*) over (partition by ${chosen}) = 2`)).toEqual(['s']);
    expect(metOf(`select id from ${logs} qualify row_number() over (order by ${chosen}) = 1`)).toEqual(['s']);
    expect(metOf(`select id from (select id, ${chosen} as c from ${logs}) order by c`)).toEqual(['s']);
    expect(metOf(`select distinct ${chosen} as c from ${logs}`)).toEqual(['s']);
    expect(metOf(`select id from ${logs} order by case when @s = 'a' then event_message else id end, @n`)).toEqual([]);
    expect(metOf(`select max(if(id = 'a', event_message, 'x')) as c, max(@s) as d from ${logs}`)).toEqual([]);
  });

  it.each([
    '(select timestamp from unnest(generate_array(1, 30)) as timestamp where timestamp = @n)',
    '(select count(*) from unnest(generate_array(1, 30)) as timestamp where timestamp <= @n)',
    '(select count(*) from (select 1 as one from unnest(generate_array(1, 30)) as timestamp where timestamp <= @n))',
    '(select max(v) from (select 1 as project, 1 as v union all select 2, 2) where project = @n)',
    '(select v from unnest([1, 2, 3]) as v with offset as timestamp where timestamp = @n)',
    '(select v from unnest([1, 2]) as v join unnest([1, 2]) as timestamp on v = timestamp where timestamp = @n)',
    '(select v from unnest([1, 2]) as v join unnest([1, 2]) as timestamp on v = timestamp and timestamp = @n)',
    '(select s.v from unnest([struct(1 as project, 2 as v)]) as s where s.project = @n)',
    '(select v from unnest([1, 2]) as v where exists (select 1 from unnest([1, 2]) as timestamp where timestamp = @n and v = timestamp))',
    '(select v from (select v, v = @n as project from unnest([1, 2]) as v) where project)',
  ])('are followed where they choose a value of the query: %s', (place) => {
    expect(where(`substr(t.event_message, ${place}, 1) = 'a'`)).toEqual(['n']);
  });

  it('are followed where rows are numbered', () => {
    const logs = 'sources.edge_logs as t where t.project = @p';
    expect(metOf(`select id from ${logs} qualify row_number() over (order by event_message) = @n`)).toEqual(['n']);
  });
});

describe('parameters that do not', () => {
  it.each([
    'true',
    "@s is null or m.request.method = 'GET'",
    't.id = @s',
    "t.event_message = 'a' and t.timestamp in (select time from unnest([@t]) as time where time = @t)",
    't.timestamp > (select max(a.timestamp) from sources.auth_logs as a where a.project = @p and a.timestamp > @t)',
    't.id in (@s)',
    't.timestamp > @t',
    'timestamp_trunc(t.timestamp, hour) between @t and current_timestamp()',
    't.timestamp > timestamp_sub(current_timestamp(), interval @n hour)',
    "case @s when 'get' then m.request.method = 'GET' else true end",
    "if(@s = 'get', m.request.method, m.request.path) = 'GET'",
  ])('%s', (condition) => {
    expect(where(condition)).toEqual([]);
  });

  it('choose the project by the member that holds it, or ask how many rows there are', () => {
    const members = 'sources.auth_logs as t cross join unnest(t.metadata) as m';
    const [field] = builtinSources.flatMap(({ name, projectField }) =>
      name === 'function_edge_logs' && projectField.kind === 'metadata' ? [projectField.member] : [],
    );
    expect(field).toBeDefined();
    const edge = 'sources.function_edge_logs as t cross join unnest(t.metadata) as m';
    expect(metOf(`select t.id from ${edge} where m.${field} = @p`)).toEqual([]);
    expect(metOf(`select t.id from sources.function_edge_logs as t where t.metadata.${field} = @p`)).toEqual([]);
    expect(metOf(`select t.event_message, count(*) as n from ${members} group by 1 having count(*) > @n`)).toEqual([]);
    expect(metOf('select count(*) as n from sources.edge_logs as t where t.project = @p limit @n')).toEqual([]);
  });
});
