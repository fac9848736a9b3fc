import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe('arrays', () => {
  it.each([
    ['[]', 'ArrayConstructor()'],
    ["[1, 'a', null]", 'ArrayConstructor([1 "a" NULL])'],
    ['[[1], [2]]', 'ArrayConstructor([ArrayConstructor([1]) ArrayConstructor([2])])'],
    ['array[1, 2]', 'ArrayConstructor([1 2])'],
    ['array<int64>[1]', 'ArrayConstructor(elementType=NamedType(INT64) [1])'],
    ['array<array<int64>>[]', 'ArrayConstructor(elementType=ArrayType(NamedType(INT64)))'],
    [
      "array<struct<a int64, array<string>>>[(1, ['a'])]",
      'ArrayConstructor(elementType=StructType([StructTypeField(a type=NamedType(INT64)) StructTypeField(type=ArrayType(NamedType(STRING)))]) [Tuple([1 ArrayConstructor(["a"])])])',
    ],
    [
      'array(select distinct x from t order by x)',
      'ArraySubquery(Query(Select(isDistinct [SelectExpression(x)] TableReference([t])) orderBy=[OrderingItem(x asc)]))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('structs', () => {
  it.each([
    ['struct()', 'StructConstructor()'],
    ["struct(1, 'a')", 'StructConstructor([StructArgument(1) StructArgument("a")])'],
    [
      'struct(1 as a, b, c.d as e)',
      'StructConstructor([StructArgument(1 alias=a) StructArgument(b) StructArgument(FieldAccess(c d) alias=e)])',
    ],
    [
      'struct<int64>(1)',
      'StructConstructor(type=StructType([StructTypeField(type=NamedType(INT64))]) [StructArgument(1)])',
    ],
    [
      "struct<a int64, b string>(1, 'x').a",
      'FieldAccess(StructConstructor(type=StructType([StructTypeField(a type=NamedType(INT64)) StructTypeField(b type=NamedType(STRING))]) [StructArgument(1) StructArgument("x")]) a)',
    ],
    [
      'struct<a array<struct<b int64>>>([struct(1)])',
      'StructConstructor(type=StructType([StructTypeField(a type=ArrayType(StructType([StructTypeField(b type=NamedType(INT64))])))]) [StructArgument(ArrayConstructor([StructConstructor([StructArgument(1)])]))])',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    ['select array 1', 'sql.syntax', 'Expecting [, ( or <; got `1` at line 1, column 14.'],
    ['select array<int64>', 'sql.syntax', 'Expecting [; got the end of the query at line 1, column 20.'],
    ['select struct 1', 'sql.syntax', 'Expecting ( or <; got `1` at line 1, column 15.'],
    ['select struct<>(1)', 'sql.syntax', 'Expecting ( or <; got `<>` at line 1, column 14.'],
    ['select struct<a int64>(1 as b)', 'sql.syntax', 'Expecting ) or a comma; got `as` at line 1, column 26.'],
    ['select [1, ]', 'sql.syntax', 'Expecting an expression; got `]` at line 1, column 12.'],
    ['select array<int64, string>[1]', 'sql.syntax', 'Expecting > or a comma; got `,` at line 1, column 19.'],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
