import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileStored } from '../compile.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const compiled = (expression: string) => () =>
  compileStored(`select ${expression} as x from sources.edge_logs as t cross join unnest(t.metadata) as m`, {
    sources,
    parameters: new Map([['p', 'string']] as const),
  });

describe('names of JSON_OBJECT', () => {
  it.each([
    'json_object(t.event_message, 1)',
    'json_object(m.request.path, 1)',
    "json_object('a', 1, concat('x', m.user_email), 2)",
    'json_object([t.id], [1])',
    "json_object(['a', t.event_message], [1, 2])",
    'json_object(array_agg(t.event_message) over (), array_agg(1) over ())',
    'json_object(cast(length(t.event_message) as string), 1)',
    "json_object(if(t.id = 'a', t.id, 'b'), 1)",
    "json_object((select max(n.id) from sources.auth_logs as n), 'x')",
    "(select json_object(k, 1) from unnest(split(t.event_message, ' ')) as k)",
    '(with a as (select e.event_message as k from sources.auth_logs as e) select json_object(k, 1) from a limit 1)',
    "array(select json_object(k, 1) from (select 'a' as k union all select t.id))",
    'to_json_string(struct([json_object(upper(t.event_message), 1)] as a))',
    'json_value(json_object(t.event_message, 1))',
    "if(json_value(json_object(t.event_message, 1), '$.secret') is null, 1, 2)",
    'json_object(json_object(t.event_message, 1).a, 1)',
    'json_object(json_value(t.metadata), 1)',
    'json_object(format(t.event_message), 1)',
  ])('%s: refused, as it is made of events', (expression) => {
    expect(compiled(expression)).toThrow(/A key in JSON_OBJECT must not come from events/);
  });

  it.each([
    'json_object(@p, t.event_message)',
    "json_object(concat(@p, '_id'), t.id)",
    "(select json_object(k, t.id) from unnest(['a', 'b']) as k limit 1)",
    "json_object(if(t.id = 'a', 'x', 'y'), t.id)",
    "(select json_object(array_agg(k), array_agg(v)) from (select 'a' as k, t.id as v))",
    'json_object(cast(row_number() over () as string), t.id)',
  ])('%s: taken', (expression) => {
    expect(compiled(expression)).not.toThrow();
  });
});
