import { describe, expect, it } from 'vitest';
import { functionCatalogue } from './catalogue.ts';
import { isSystemFunction } from './systemFunctions.ts';

describe('isSystemFunction', () => {
  it.each(['getenv', 'GETENV', 'read_text', 'pg_sleep', 'main.read_blob', 'current_setting', 'duckdb_settings'])(
    'knows %s as a function that reads what is outside',
    (name) => expect(isSystemFunction(name)).toBe(true),
  );

  it.each(['lowr', 'current_timestam', 'cuont', 'reads', 'versions', 'hash', ''])(
    'takes %j for a name that is merely unknown',
    (name) => expect(isSystemFunction(name)).toBe(false),
  );

  it('names no function of the dialect', () => {
    expect([...functionCatalogue.keys()].filter(isSystemFunction)).toEqual([]);
  });
});
