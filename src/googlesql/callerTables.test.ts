import { expect, it } from 'vitest';
import { atOnce } from '../core/concurrency/turns.ts';
import { builtinSources } from '../sources/builtin.ts';
import { type StoredTables, storedTablesInSteps } from './callerTables.ts';
import { type CompileContext, compileCaller } from './compile.ts';

const contextOf = (parameters: CompileContext['parameters'] = new Map()): CompileContext => ({
  sources: new Map(builtinSources.map((source) => [source.name, source])),
  parameters,
});

const storedTables = (text: string, context: CompileContext): StoredTables =>
  atOnce(storedTablesInSteps(text, context));

const stored = `with a as (select t.id, t.timestamp, t.metadata from sources.edge_logs as t where t.project = @project),
  b as (select id from a) select id from b`;
const parameters = new Map([['project', 'string']] as const);

it('resolves the tables of a stored query once', () => {
  const context = contextOf(parameters);
  expect(storedTables(stored, { ...context, parameters: new Map(parameters) })).toBe(storedTables(stored, context));
});

it('resolves them anew for another text, other parameters or other sources', () => {
  const context = contextOf(parameters);
  const first = storedTables(stored, context);
  expect(storedTables(`${stored} `, context)).not.toBe(first);
  expect(storedTables(stored, { ...context, parameters: new Map([['project', 'regex']]) })).not.toBe(first);
  expect(storedTables(stored, contextOf(parameters))).not.toBe(first);
});

it('is not changed by the queries that are resolved against it', () => {
  const context = contextOf(parameters);
  const query = (text: string) => compileCaller(text, stored, context);
  const first = query(
    'select m.request.path, @project as p, current_timestamp() as n, rand() as r from a, unnest(a.metadata) as m',
  );
  expect(first).toMatchObject({ usesNow: true, isVolatile: true });
  const second = query('select id from b');
  expect(second).toMatchObject({ usesNow: false, isVolatile: false, notices: [] });
  expect(second).toEqual(compileCaller('select id from b', stored, contextOf(parameters)));
  expect(storedTables(stored, context).session).toMatchObject({ usesNow: false, isVolatile: false, notices: [] });
});

it('remembers no text that does not compile', () => {
  const context = contextOf();
  for (let turn = 0; turn < 2; turn++) expect(() => storedTables(stored, context)).toThrow(/@project/);
});
