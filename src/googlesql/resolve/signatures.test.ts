import { expect, it } from 'vitest';
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
