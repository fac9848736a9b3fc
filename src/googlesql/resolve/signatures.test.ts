import { expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { compileStored } from '../compile.ts';
import { typeName } from '../types.ts';

const compile = (expression: string) =>
  compileStored(`select ${expression} as v`, { sources: new Map(), parameters: new Map() });

it('an empty array of a type gives a function its type', () => {
  const typeOf = (expression: string): string[] =>
    compile(expression).columns.map(({ column }) => typeName(column.type));
  expect(typeOf('array_concat(array<int64>[], array<int64>[])')).toEqual(['ARRAY<INT64>']);
  expect(typeOf('array_reverse(array<string>[])')).toEqual(['ARRAY<STRING>']);
  expect(typeOf('array_concat([], [1])')).toEqual(['ARRAY<INT64>']);
});

it('a form of NORMALIZE that does not exist is told with those that do', () => {
  expect(() => compile("normalize('a', nfx)")).toThrow(/NFC \| NFD \| NFKC \| NFKD/);
});

it.each([
  ["'a' + 1", '+'],
  ["b'a' || 1", '||'],
  ["-'a'", '-'],
  ["'a' & 1", '&'],
  ['[1][offset("a")]', 'OFFSET'],
  ["'a' like 1", 'LIKE'],
  ['sqrt([1])', 'sqrt'],
])('an error of the type names %s as it is written', (expression, token) => {
  const error = refusalOf(expression);
  expect(error.code).toBe('sql.type');
  expect(error.errors[0]?.token).toBe(token);
  expect(error.message).toMatch(`${token.toUpperCase()} does not accept (`);
  expect(JSON.stringify([error.message, error.errors])).not.toContain('$');
});

function refusalOf(expression: string): ServiceError {
  try {
    compile(expression);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`${expression} was not refused`);
}
