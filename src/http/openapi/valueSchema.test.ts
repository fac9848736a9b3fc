import { describe, expect, it } from 'vitest';
import {
  arrayOf,
  FLOAT64,
  INT64,
  JSON_TYPE,
  type SqlType,
  STRING,
  structOf,
  TIMESTAMP,
} from '../../googlesql/types.ts';
import { rowSchema, valueSchema } from './valueSchema.ts';

const nested = structOf([
  { name: 'at', type: TIMESTAMP },
  { name: '', type: structOf([{ name: 'n', type: INT64 }]) },
]);

describe('the schema of a value', () => {
  it('is nullable, and says what JSON has no type for', () => {
    expect(valueSchema(INT64, 'plain')).toEqual({ type: ['integer', 'null'], format: 'int64' });
    expect(valueSchema(FLOAT64, 'plain')).toEqual({
      anyOf: [{ type: ['number', 'null'], format: 'double' }, { enum: ['NaN', 'Infinity', '-Infinity'] }],
    });
    expect(valueSchema(JSON_TYPE, 'plain').type).toBeUndefined();
  });

  it('of a point in time is text in plain and microseconds in records, at any depth', () => {
    expect(valueSchema(TIMESTAMP, 'plain')).toMatchObject({ type: ['string', 'null'], format: 'date-time' });
    expect(valueSchema(arrayOf(TIMESTAMP), 'records')).toMatchObject({ items: { type: ['integer', 'null'] } });
  });

  it('of a record in a record is an array that holds it in records, unless it stands in an array', () => {
    expect(valueSchema(nested, 'plain')).toMatchObject({
      type: ['object', 'null'],
      properties: { at: { format: 'date-time' }, _field_2: { type: ['object', 'null'] } },
      required: ['at', '_field_2'],
    });
    expect(valueSchema(nested, 'records')).toMatchObject({
      type: ['object', 'null'],
      properties: { _field_2: { type: ['array', 'null'], items: { type: 'object' }, maxItems: 1 } },
    });
    expect(valueSchema(arrayOf(nested), 'records')).toMatchObject({ items: { type: ['object', 'null'] } });
  });
});

it('describes a row whose members all stand', () => {
  const row = rowSchema(
    [
      { name: 'b', type: STRING, isNeverNull: false },
      { name: '__proto__', type: INT64, isNeverNull: false },
    ],
    'plain',
  );
  expect(Object.keys(row.properties ?? {})).toEqual(['b', '__proto__']);
  expect(row).toMatchObject({ required: ['b', '__proto__'], additionalProperties: false });
});

it('lets only those members be null that can be', () => {
  const column = (name: string, type: SqlType) => ({ name, type, isNeverNull: true });
  const row = rowSchema([column('n', INT64), column('f', FLOAT64), column('j', JSON_TYPE)], 'plain');
  expect(row.properties).toMatchObject({
    n: { type: 'integer' },
    f: { anyOf: [{ type: 'number' }, { enum: ['NaN', 'Infinity', '-Infinity'] }] },
  });
});
