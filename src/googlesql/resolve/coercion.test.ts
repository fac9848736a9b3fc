import { describe, expect, it } from 'vitest';
import {
  BOOL,
  DATE,
  FLOAT64,
  INT64,
  JSON_TYPE,
  NESTED_JSON,
  NULL_TYPE,
  type SqlType,
  STRING,
  TIMESTAMP,
  typeName,
} from '../types.ts';
import { anyOfType, coerce, coercionCost, commonType } from './coercion.ts';
import type { Expr } from './tree.ts';

const pos = { line: 1, column: 1, offset: 0 };
const text = (value: string): Expr => ({ kind: 'literal', type: STRING, value });
const common = (...types: readonly SqlType[]): string | null => {
  const type = commonType(types.map(anyOfType));
  return type === null ? null : typeName(type);
};

describe('the common type of values', () => {
  it.each<[readonly SqlType[], string | null]>([
    [[INT64, FLOAT64], 'FLOAT64'],
    [[INT64, NULL_TYPE], 'INT64'],
    [[DATE, TIMESTAMP], 'TIMESTAMP'],
    [[NESTED_JSON, STRING], 'STRING'],
    // Read as INT64, a stored 12.5 would lose its fraction.
    [[NESTED_JSON, INT64], 'FLOAT64'],
    [[NESTED_JSON, JSON_TYPE], 'JSON'],
    [[INT64, STRING], null],
    [[BOOL, INT64], null],
    [[INT64, FLOAT64, STRING], null],
  ])('of %j is %s', (types, expected) => {
    expect(common(...types)).toBe(expected);
  });

  it('is the time that string literals can be read as, and none for other strings', () => {
    expect(commonType([anyOfType(TIMESTAMP), text('2026-05-01')])).toEqual(TIMESTAMP);
    expect(commonType([anyOfType(TIMESTAMP), text('yesterday')])).toBeNull();
    expect(commonType([anyOfType(TIMESTAMP), anyOfType(STRING)])).toBeNull();
  });
});

describe('the cost of a conversion', () => {
  it('prefers the same type, then a wider number, then a time', () => {
    const costs = [FLOAT64, STRING, TIMESTAMP].map((type) => coercionCost(anyOfType(NESTED_JSON), type));
    expect(coercionCost(anyOfType(INT64), INT64)).toBe(0);
    expect(coercionCost(anyOfType(INT64), FLOAT64)).toBe(1);
    expect(costs[0]).toBe(costs[1]);
    expect(costs[2]).toBeGreaterThan(costs[0] ?? Number.NaN);
  });

  it.each([
    [FLOAT64, INT64],
    [STRING, INT64],
    [INT64, STRING],
    [STRING, TIMESTAMP],
    [BOOL, STRING],
  ])('of %j to %j does not exist', (from, to) => {
    expect(coercionCost(anyOfType(from), to)).toBeNull();
  });
});

it('converts a nested value by reading it, so that an unreadable one is NULL and not an error', () => {
  expect(coerce(anyOfType(NESTED_JSON), INT64, pos)).toMatchObject({ kind: 'pathRead', wanted: 'INT64', path: [] });
  expect(coerce(text('2026-05-01'), DATE, pos)).toEqual({ kind: 'literal', type: DATE, value: 20_574n });
});
