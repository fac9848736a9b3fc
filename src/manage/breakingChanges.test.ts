import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import { describeEndpoint } from '../invoke/describe.ts';
import { breakingChanges } from './breakingChanges.ts';

type Fields = Readonly<Record<string, unknown>>;

const base: Fields = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'a.b',
  sandbox: true,
  query: 'with t as (select @p as x, @e as y) select x, y from t',
  parameters: { p: { type: 'string' }, e: { type: 'enum', allowed: ['one', 'two'], required: true } },
};

const version = (fields: Fields, primary = true) => {
  const definition = parseDefinition(fields, { label: 'a.b' });
  return { label: '', definition, primary, description: describeEndpoint(definition, new Map()) };
};
const rules = (from: Fields, to: Fields) =>
  breakingChanges(version(from), version(to)).map(({ rule, name }) => `${rule} ${name}`);
const withParameters = (parameters: Record<string, Fields>): Fields => ({
  ...base,
  parameters: { ...(base.parameters as Fields), ...parameters },
});
const oneOf = (allowed: readonly string[], more: Fields = {}) =>
  withParameters({ e: { type: 'enum', allowed, required: true, ...more } });

describe('breakingChanges', () => {
  it.each<[string, Fields, Fields, readonly string[]]>([
    ['nothing', base, base, []],
    [
      'another order of columns',
      base,
      { ...base, query: 'with t as (select @p as x, @e as y) select y, x from t' },
      [],
    ],
    [
      'another case of a column',
      base,
      { ...base, query: 'with t as (select @p as x, @e as y) select x as X, y from t' },
      ['column.removed x'],
    ],
    ['another case of a table', base, { ...base, query: 'with T as (select @p as X, @e as y) select x, y from t' }, []],
    ['a value that is not allowed any more', base, oneOf(['one']), ['parameter.value_removed e']],
    ['a value more', base, oneOf(['one', 'two', 'three']), []],
    [
      'a value less that is answered as the default',
      base,
      oneOf(['one'], { on_unknown: 'default', default: 'one' }),
      [],
    ],
    [
      'an optional parameter more',
      base,
      {
        ...withParameters({ n: { type: 'int64' } }),
        query: 'with t as (select @p as x, @e as y) select x, y from t where @n is null',
      },
      [],
    ],
    [
      'a required parameter more',
      base,
      {
        ...withParameters({ n: { type: 'int64', required: true } }),
        query: 'with t as (select @p as x, @e as y) select x, y from t where @n is null',
      },
      ['parameter.required n'],
    ],
    ['a required parameter that becomes optional', base, oneOf(['one', 'two'], { required: false }), []],
    [
      'a column of a table',
      base,
      { ...base, query: 'with t as (select @p as x, @e as y, @e as z), u as (select x, y from t) select x, y from u' },
      [],
    ],
    [
      'a column of a table that is gone',
      { ...base, query: 'with t as (select @p as x, @e as y, 1 as z) select x, y from t' },
      base,
      ['table.column_removed t.z'],
    ],
    [
      'a column of a table of another type',
      { ...base, query: 'with t as (select @p as x, @e as y, 1 as z) select x, y from t' },
      { ...base, query: "with t as (select @p as x, @e as y, 'a' as z) select x, y from t" },
      ['table.column_retyped t.z'],
    ],
    ['queries of callers from now on', { ...base, sandbox: false }, base, []],
    ['other settings', base, { ...base, max_rows: 5, cache_seconds: 60, redact_pii: true, description: 'x' }, []],
  ])('%s', (_title, from, to, expected) => {
    expect(rules(from, to)).toEqual(expected);
  });

  it('finds a new name breaking only where the endpoint answers by the old one', () => {
    const renamed = version({ ...base, name: 'c.d' });
    expect(breakingChanges(version(base, true), renamed)).toMatchObject([{ rule: 'name.changed', name: 'a.b' }]);
    expect(breakingChanges(version(base, false), renamed)).toEqual([]);
  });

  it('compares no columns with a version that does not compile any more', () => {
    const broken = { ...version(base), description: null };
    const other = version({ ...base, query: 'with u as (select @p as x, @e as z) select z from u where x is null' });
    expect(breakingChanges(broken, other)).toEqual([]);
  });
});
