import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDefinitionFiles } from '../endpoints/loadDefinitionFiles.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import { compileCaller } from '../googlesql/compile.ts';
import { typeName } from '../googlesql/types.ts';
import { builtinSources } from '../sources/builtin.ts';
import { describeEndpoint } from './describe.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source] as const));
const id = '00000000-0000-4000-8000-000000000001';
const define = (fields: Record<string, unknown>) => parseDefinition({ id, name: 'a', ...fields }, { label: 'a' });

describe('describeEndpoint', () => {
  it('gives columns with types, tables of callers and rows of a shipped definition', () => {
    const [logsAll] = loadDefinitionFiles(join(import.meta.dirname, '../../definitions')).filter(
      ({ file }) => file === 'logs.all.yaml',
    );
    if (logsAll === undefined) throw new Error('logs.all is not shipped');
    const { columns, tables, parameters, rowsMax } = describeEndpoint(logsAll.definition, sources);
    expect(columns.map(({ name, type }) => `${name} ${typeName(type)}`)).toEqual([
      'id STRING',
      'timestamp TIMESTAMP',
      'event_message STRING',
      'metadata JSON',
    ]);
    expect(tables).toHaveLength(9);
    expect(tables[0]?.columns.map(({ name }) => name)).toEqual(['timestamp', 'id', 'event_message', 'metadata']);
    expect(parameters.map(({ name }) => name)).toEqual(['project', 'iso_timestamp_start', 'iso_timestamp_end']);
    expect(rowsMax).toBe(100);
  });

  it('has no tables if the definition does not accept caller queries', () => {
    const query = 'with t as (select 1 as a) select a from t';
    expect(describeEndpoint(define({ query }), sources).tables).toEqual([]);
    const [table] = describeEndpoint(define({ query, sandbox: true }), sources).tables;
    expect(table?.name).toBe('t');
  });

  it('refuses RAND with its place if results are cached, in stored and caller queries', () => {
    const query = 'with t as (select 1 as a) select a,\n  rand() as x from t';
    expect(describeEndpoint(define({ query }), sources).columns).toHaveLength(2);
    expect(() => describeEndpoint(define({ query, cache_seconds: 5 }), sources)).toThrow(
      /RAND is not available because this endpoint caches its results.*\(line 2, column 3\)/,
    );
    const stored = 'with t as (select 1 as a) select a from t';
    const caller = (isCached: boolean) => () =>
      compileCaller('select a from t where safe.rand() < 0.5', stored, { sources, parameters: new Map(), isCached });
    expect(caller(false)).not.toThrow();
    expect(caller(true)).toThrow(/RAND is not available because this endpoint caches its results/);
    const other = 'with t as (select 1 as a) select generate_uuid() as x from t';
    expect(describeEndpoint(define({ query: other, cache_seconds: 5 }), sources).columns).toHaveLength(1);
  });

  it('refuses a query that does not compile, with the place', () => {
    expect(() => describeEndpoint(define({ query: 'select 1,\n  nothing' }), sources)).toThrow(
      expect.objectContaining({
        code: 'definition.invalid',
        errors: [expect.objectContaining({ line: 2, column: 3 })],
      }),
    );
  });

  it('refuses a parameter that is declared and not used, and one that is used and not declared', () => {
    const declared = define({ query: 'select 1', parameters: { p: { type: 'string' } } });
    expect(() => describeEndpoint(declared, sources)).toThrow(/declares @p, which its query never uses/);
    expect(() => describeEndpoint(define({ query: 'select @p' }), sources)).toThrow(/@p/);
  });
});
