import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileStored } from '../compile.ts';
import { alteredTexts } from './alteredTexts.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const parameters = new Map([['p', 'string']] as const);

const found = (sql: string) =>
  alteredTexts(compileStored(sql, { sources, parameters })).map(({ output, how, fn, members, pos }) => ({
    output,
    how,
    fn,
    members: members.map((path) => path.join('.')),
    at: `${pos.line}:${pos.column}`,
  }));

const from = 'from sources.edge_logs as t cross join unnest(t.metadata) as m';
const inColumn = (expression: string) =>
  found(`select ${expression} as x ${from}`).map(({ how, fn }) => `${how} ${fn}`);

describe('output columns with texts of events in another form', () => {
  it('says which column it is, what makes it, of which members, and where', () => {
    expect(found(`select t.id,\n left(t.event_message, 80) as short ${from}`)).toEqual([
      { output: 'short', how: 'part', fn: 'left', members: ['event_message'], at: '2:2' },
    ]);
    expect(found(`select concat(m.request.path, m.request.search) as url ${from}`)).toMatchObject([
      { how: 'joined', fn: 'concat', members: ['metadata.request.path', 'metadata.request.search'] },
    ]);
  });

  it.each([
    ['substr(t.event_message, 2)', 'part substr'],
    ["split(m.request.path, '/')[safe_offset(1)]", 'part split'],
    ["regexp_extract(m.request.path, '^/[a-z]+')", 'part regexp_extract'],
    ["trim(t.event_message, '0123456789')", 'part trim'],
    ['rpad(t.event_message, 5)', 'part rpad'],
    ["format('%.3s', t.event_message)", 'part format'],
    ['upper(m.request.path)', 'changed upper'],
    ["replace(m.request.path, '.', '-')", 'changed replace'],
    ['reverse(t.event_message)', 'changed reverse'],
    ['cast(t.event_message as bytes)', 'changed cast'],
    ['to_base64(cast(t.event_message as bytes))', 'changed to_base64'],
    ['farm_fingerprint(t.event_message)', 'changed farm_fingerprint'],
    ['sum(unicode(t.event_message)) over ()', 'changed unicode'],
    ['net.safe_ip_from_string(m.at)', 'changed net.safe_ip_from_string'],
    ["safe_cast(regexp_extract(t.event_message, '[0-9]+') as int64) + 1", 'part regexp_extract'],
    ['(select max(left(n.event_message, 3)) from sources.auth_logs as n)', 'part left'],
    ["array(select part from unnest(split(t.event_message, '')) as part)", 'part split'],
    ['if(true, struct(1 as a, left(t.id, 3) as b), null).b', 'part left'],
    ["concat('1', t.event_message)", 'joined concat'],
    ['m.status || t.event_message', 'joined $concat_op'],
    ['concat(@p, t.event_message)', 'joined concat'],
    ["concat('build v ', t.event_message)", 'joined concat'],
    ["concat('build v', concat(': ', t.event_message))", 'joined concat'],
    ["concat('agent/', t.event_message)", 'joined concat'],
    ["string_agg(t.event_message, '') over ()", 'joined string_agg'],
    ["array_to_string([t.event_message, t.id], '.')", 'joined array_to_string'],
    ["format('%s%s', t.event_message, t.id)", 'joined format'],
    ['repeat(t.event_message, 2)', 'joined repeat'],
    ['format(t.event_message)', 'joined format'],
    ["format(concat('%s ', t.id), t.event_message)", 'joined format'],
    ["format(if(t.id = 'a', '%s', ' %s '), t.event_message)", 'joined format'],
    ["format('%.*s', length(t.id), t.event_message)", 'part format'],
  ])('%s: %s', (expression, altered) => {
    expect(inColumn(expression)).toEqual([altered]);
  });

  it.each([
    't.event_message',
    'm',
    'm.request.path',
    'coalesce(cast(m.request.path as string), t.event_message)',
    "nullif(case when t.id like 'a%' then t.event_message end, 'x')",
    'max(t.event_message) over (order by left(t.event_message, 3))',
    'lag(t.event_message) over (partition by substr(t.id, 1, 2) order by t.timestamp)',
    "json_value(t.event_message, '$.a')",
    'parse_json(t.event_message)',
    "json_query(m.payload, '$.a')",
    'struct([parse_json(t.event_message).a] as a)',
    'to_json_string(t.metadata)',
    'string(parse_json(t.event_message).a)',
    "json_value(m.payload, '$.a')",
    "json_query(t.metadata, '$.request')",
    "json_query(m, '$.request')",
    'to_json_string(parse_json(t.event_message))',
    'cast(parse_json(t.event_message).a as int64)',
    'trim(t.event_message)',
    'normalize(t.event_message)',
    "concat('<', t.event_message, '> ', t.id)",
    "t.id || ' ' || t.event_message",
    "concat('at ', t.event_message, '', ' by ', t.id)",
    'string_agg(t.event_message) over ()',
    "array_to_string([t.event_message, t.id], ' | ')",
    "format('%-20s %s %5.1f', t.event_message, t.id, 1.5)",
    "format('%*s %s', length(t.id), t.event_message, t.id)",
    'left(t.project, 3)',
    "format_timestamp('%F', t.timestamp)",
    'left(cast(cast(m.response.status_code as int64) as string), 1)',
    "concat(cast(t.timestamp as string), 'x')",
    "left('constant', 3)",
    'left(@p, 3)',
    "left(t.event_message, 3) = 'abc'",
    "if(starts_with(lower(t.event_message), 'a'), 1, 2)",
    "length(trim(t.event_message, 'x'))",
    "array_length(split(t.event_message, ' '))",
    "strpos(lower(t.event_message), 'x')",
    "count(distinct regexp_extract(t.event_message, 'x')) over ()",
  ])('%s holds nothing of the kind', (expression) => {
    expect(inColumn(expression)).toEqual([]);
  });

  it('are found through tables, groups, aggregates and set operations, each column with its first place', () => {
    const query = `with a as (select lower(event_message) as e, id as i from sources.edge_logs),
      b as (select max(e) as e, i from a group by i union all select id, right(event_message, 4) from sources.auth_logs)
      select e, i, count(*) as n, concat(e, ' ', i) as both from b group by e, i`;
    expect(found(query).map(({ output, fn, at }) => `${output} ${fn} ${at}`)).toEqual([
      'e lower 1:19',
      'i right 2:74',
      'both lower 1:19',
    ]);
  });
});
