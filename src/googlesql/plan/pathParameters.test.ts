import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileStored } from '../compile.ts';
import { pathParameters } from './pathParameters.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const parameters = new Map([
  ['s', 'string'],
  ['n', 'int64'],
] as const);

const pathsIn = (expression: string): readonly string[] => {
  const text = `select ${expression} as x from sources.edge_logs as t cross join unnest(t.metadata) as m`;
  return [...pathParameters(compileStored(text, { sources, parameters }).relation)];
};

describe('parameters that say which member is read', () => {
  it.each([
    'json_value(t.metadata, @s)',
    'json_query(t.event_message, @s)',
    'json_extract_scalar(t.metadata, @s)',
    'json_extract(t.metadata, @s)',
    'json_value_array(t.metadata, @s)',
    'json_query_array(t.metadata, @s)',
    'json_extract_array(t.metadata, @s)',
    'json_extract_string_array(t.metadata, @s)',
    "json_array('$.a', (select max(json_value(a.metadata, @s)) from sources.auth_logs as a))",
  ])('%s', (expression) => {
    expect(pathsIn(expression)).toEqual(['s']);
  });

  it.each([
    'json_array(m.request, @s)',
    "json_object('a', @s)",
    'json_object(@s, m.request)',
    "json_value(json_object('a', @s), '$.a')",
    'm.tags[@n]',
    'split(t.event_message)[safe_offset(@n)]',
    'json_type(parse_json(@s))',
  ])('not in %s', (expression) => {
    expect(pathsIn(expression)).toEqual([]);
  });
});
