import { describe, expect, it } from 'vitest';
import { Pause, Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { CompileSteps } from '../googlesql/compile.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { CallerQuery } from './callerQueryText.ts';
import { type Statement, StatementCache } from './statementCache.ts';

const context = { sources: new Map(), parameters: new Map() };
const stored: Statement = { storedText: 'select 1', callerQuery: null, context };

/** The same again, in objects of its own; sources are known by their object. */
const structuredCloneOf = ({ storedText, callerQuery, context: { sources, ...others } }: Statement): Statement => ({
  ...structuredClone({ storedText, callerQuery }),
  context: { ...structuredClone(others), sources },
});

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
  function* compile(text: string): CompileSteps {
    compiled.push(text);
    yield;
    if (text === 'bad') throw new ServiceError('sql.syntax', 'bad');
    return tree();
  }
  return {
    compiled,
    cache: new StatementCache({ storedInSteps: compile, callerInSteps: compile, lqlInSteps: compile }, settings),
  };
}

describe('StatementCache', () => {
  it('compiles equal inputs once, and any different input again', () => {
    const { cache, compiled } = cacheOf();
    const sources = new Map([['a', builtinSources[0]]]) as Statement['context']['sources'];
    const others: readonly Statement[] = [
      stored,
      { ...stored, storedText: 'select 2' },
      { ...stored, callerQuery: sql('select 1') },
      { storedText: 'select 2', callerQuery: sql('select 1'), context },
      { ...stored, context: { ...context, parameters: new Map([['p', 'string']]) } },
      { ...stored, context: { ...context, parameters: new Map([['p', 'int64']]) } },
      { ...stored, context: { ...context, parameters: new Map([['q', 'string']]) } },
      { ...stored, context: { ...context, isCached: true } },
      { ...stored, context: { ...context, sources } },
    ];
    const queries = others.map((each) => cache.compile(each));
    expect(new Set(queries).size).toBe(others.length);
    expect(others.map((each) => cache.compile(structuredCloneOf(each)))).toEqual(queries);
    expect(compiled).toHaveLength(others.length);
  });

  it('hands the compiler nothing that is not in the key', () => {
    const seen: object[] = [];
    function* note(_: string, given: object): CompileSteps {
      seen.push(given);
      yield;
      return tree();
    }
    const unasked = () => note('', {});
    const cache = new StatementCache(
      { storedInSteps: note, callerInSteps: unasked, lqlInSteps: unasked },
      { entriesMax: 10, bytesMax: 1e6 },
    );
    cache.compile({ ...stored, context: { ...context, smuggled: 1 } as typeof context });
    expect(seen).toEqual([{ sources: context.sources, parameters: new Map(), isCached: false }]);
  });

  it('compiles anew when there are more sources', () => {
    const { cache } = cacheOf();
    const sources = new Map();
    const asked = { ...stored, context: { ...context, sources } };
    const before = cache.compile(asked);
    sources.set('more', builtinSources[0]);
    expect(cache.compile(asked)).not.toBe(before);
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

  it('lets others have a turn between steps that take long, and gives calls of one text one query', async () => {
    const { cache, compiled } = cacheOf();
    let nowMs = 0;
    let turns = 0;
    const pause = () => {
      const line = new Turns(() => {
        nowMs += 10;
        return nowMs;
      });
      const next = line.next.bind(line);
      line.next = () => {
        turns += 1;
        return next();
      };
      return new Pause(line);
    };
    const queries = await Promise.all([cache.compileInTurns(stored, pause()), cache.compileInTurns(stored, pause())]);
    expect([turns, compiled.length, new Set(queries).size]).toEqual([4, 2, 1]);
    expect(await cache.compileInTurns(stored, pause())).toBe(queries[0]);
    expect([turns, compiled.length]).toEqual([4, 2]);
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
      { entriesMax: 100, bytesMax: 22_000 },
    ]) {
      const { cache, compiled } = cacheOf(bounds);
      for (const text of ['a', 'b', 'c', 'a']) cache.compile({ ...stored, callerQuery: sql(text) });
      expect(compiled).toEqual(['a', 'b', 'c', 'a']);
    }
  });
});
