import { expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { inferParameters } from './inferParameters.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const typesOf = (query: string) =>
  Object.fromEntries(inferParameters(query, sources).map(({ name, type }) => [name, type]));

it.each([
  ['select id from sources.edge_logs as t where t.project = @project', { project: 'string' }],
  ['select timestamp(@start) as at', { start: 'string' }],
  ['select id from sources.edge_logs as t where @start is null or t.timestamp > @start', { start: 'timestamp' }],
  ['select @n * 2 as n, @words || "x" as w', { n: 'int64', words: 'string' }],
  ['select if(@flag, 1, 0) as f, date_add(@day, interval @n day) as d', { flag: 'bool', day: 'date', n: 'int64' }],
  [
    "select @day = date '2026-01-01' as a, length(@text) = 1 and @text < timestamp '2026-01-01' as b",
    { day: 'date', text: 'string' },
  ],
  ['select 1 as a', {}],
  ['select @x from where', { x: 'string' }],
] as const)('gives the parameters of %s their types', (query, expected) => {
  expect(typesOf(query)).toEqual(expected);
});

it('says which are compared with the empty text', () => {
  const query = "select @a = '' as a, '' != @B as b, @c <> 'x' as c, @d as d";
  const empty = inferParameters(query, sources).filter(({ allowEmpty }) => allowEmpty);
  expect(empty.map(({ name }) => name)).toEqual(['a', 'B']);
});
