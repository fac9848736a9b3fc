import { describe, expect, it } from 'vitest';
import { compileCaller, compileStored } from '../googlesql/compile.ts';
import type { ParameterType, ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import { builtinSources } from '../sources/builtin.ts';
import { callProjects } from './callProjects.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const types = new Map<string, ParameterType>([
  ['project', 'string'],
  ['other', 'string'],
  ['pattern', 'regex'],
]);
const context = { sources, parameters: types };
const values = (given: Readonly<Record<string, string | null>>) =>
  new Map<string, ParameterValue>(
    Object.entries(given).map(([name, value]) => [name, value === null ? { kind: 'null' } : { kind: 'string', value }]),
  );

const held = 'with edge_logs as (select id, metadata from sources.edge_logs where project = @project)';
const two = `${held}, auth_logs as (select id from sources.auth_logs where project = @other)`;
const open = `${held}, auth_logs as (select id from sources.auth_logs where regexp_contains(project, @pattern))`;

describe('a call is held to', () => {
  it.each<[string, string, Record<string, string | null>, string[] | null, string[] | null]>([
    ['the project that its tables demand', held, { project: 'a' }, null, ['a']],
    ['the same with a restricted token', held, { project: 'a' }, ['a', 'b'], ['a']],
    ['every project that its tables demand', two, { project: 'a', other: 'b' }, null, ['a', 'b']],
    ['what is there of them', two, { project: 'a', other: null }, null, ['a']],
    ['nothing, where one table demands none', open, { project: 'a', pattern: '.' }, null, null],
    ['its token, where one table demands none', open, { project: 'a', pattern: '.' }, ['a', 'b'], ['a', 'b']],
    ['its token, where nothing is given', held, { project: null }, ['a'], ['a']],
  ])('%s', (_, stored, given, allowed, expected) => {
    const query = compileCaller('select 1', `${stored} select 1`, context);
    expect(callProjects(query, values(given), allowed)).toEqual(expected);
  });

  it('projects of its token, else it is refused with the name of the parameter', () => {
    const query = compileCaller('select 1', `${two} select 1`, context);
    expect(() => callProjects(query, values({ project: 'a', other: 'c' }), ['a', 'b'])).toThrow(
      expect.objectContaining({
        code: 'auth.project',
        errors: [{ parameter: 'other', value: 'c', allowed: ['a', 'b'] }],
      }),
    );
  });

  it('what its own query reads, also where that is the stored one', () => {
    expect(
      callProjects(compileStored(`${held} select id from edge_logs`, context), values({ project: 'a' }), null),
    ).toEqual(['a']);
    expect(callProjects(compileStored('select 1 as one', context), values({}), null)).toBeNull();
    expect(callProjects(compileStored('select 1 as one', context), values({}), ['a'])).toEqual(['a']);
  });
});
