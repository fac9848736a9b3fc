import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { CallerQuery } from './callerQuery.ts';
import { type Statement, StatementCache } from './statementCache.ts';

const context = { sources: new Map(), parameters: new Map() };
const stored: Statement = { endpointId: 'e', version: 1, storedText: 'select 1', callerQuery: null, context };

const sql = (text: string): CallerQuery => ({ language: 'sql', text });

const tree = (): ResolvedQuery => ({
  relation: { kind: 'oneRow' },
  columns: [],
  outerLimit: null,
  notices: [],
  parameters: new Set(),
  usesNow: false,
  isVolatile: false,
});

function cacheOf(settings = { entriesMax: 100, bytesMax: 10_000_000 }) {
  const compiled: string[] = [];
  const compile = (text: string) => {
    compiled.push(text);
    if (text === 'bad') throw new ServiceError('sql.syntax', 'bad');
    return tree();
  };
  return {
    compiled,
    cache: new StatementCache({ compileStored: compile, compileCaller: compile, compileLql: compile }, settings),
  };
}

describe('StatementCache', () => {
  it('compiles a text once per endpoint and version', () => {
    const { cache, compiled } = cacheOf();
    const first = cache.compile(stored);
    expect(cache.compile(stored)).toBe(first);
    expect(cache.compile({ ...stored, version: 2 })).not.toBe(first);
    expect(cache.compile({ ...stored, endpointId: 'f' })).not.toBe(first);
    expect(compiled).toHaveLength(3);
  });

  it('never answers a caller with the stored query, nor the other way round', () => {
    const { cache } = cacheOf();
    const ofStored = cache.compile(stored);
    const ofCaller = cache.compile({ ...stored, callerQuery: sql(stored.storedText) });
    expect(ofCaller).not.toBe(ofStored);
    expect(cache.compile({ ...stored, callerQuery: sql('') })).not.toBe(ofStored);
  });

  it('keeps the languages apart: one text may mean two queries', () => {
    const { cache, compiled } = cacheOf();
    const ofSql = cache.compile({ ...stored, callerQuery: sql('x') });
    expect(cache.compile({ ...stored, callerQuery: { language: 'lql', text: 'x' } })).not.toBe(ofSql);
    expect(compiled).toEqual(['x', 'x']);
  });

  it('does not keep a failure', () => {
    const { cache, compiled } = cacheOf();
    const bad = { ...stored, callerQuery: sql('bad') };
    expect(() => cache.compile(bad)).toThrow(ServiceError);
    expect(() => cache.compile(bad)).toThrow(ServiceError);
    expect(compiled).toEqual(['bad', 'bad']);
  });

  it('forgets the oldest past its bounds, of entries and of bytes', () => {
    for (const bounds of [
      { entriesMax: 2, bytesMax: 10_000_000 },
      { entriesMax: 100, bytesMax: 3500 },
    ]) {
      const { cache, compiled } = cacheOf(bounds);
      for (const text of ['a', 'b', 'c', 'a']) cache.compile({ ...stored, callerQuery: sql(text) });
      expect(compiled).toEqual(['a', 'b', 'c', 'a']);
    }
  });
});
