import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { builtinSources } from '../sources/builtin.ts';
import { compileCaller } from './compile.ts';
import { habits } from './habits.ts';

const stored = 'with edge_logs as (select id, timestamp, event_message, metadata from sources.edge_logs) select 1';
const compile = (sql: string) =>
  compileCaller(sql, stored, {
    sources: new Map(builtinSources.map((source) => [source.name, source])),
    parameters: new Map([['name', 'string']]),
  });

function refusal(sql: string): ServiceError {
  try {
    compile(sql);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`compiles: ${sql}`);
}

describe('habits of other dialects', () => {
  it.each(habits.map((habit) => [habit.example, habit] as const))('%s', (example, { works, paste, form }) => {
    const error = refusal(example);
    const hint = / In GoogleSQL, write (.+)\.$/.exec(error.message)?.[1];
    expect(error.message).not.toContain('Did you mean');
    expect(() => compile(works)).not.toThrow();
    if (paste === undefined) expect(hint).toBe(form);
    else expect(works).toContain(hint);
  });

  it('gives the general form if arguments are not plain names', () => {
    expect(refusal("SELECT nvl(concat(id, 'x'), 'y') FROM edge_logs").message).toContain('write IFNULL(x, y).');
  });

  it('points to the position of the error, in later lines too', () => {
    const error = refusal('SELECT id,\n  now() AS n\nFROM edge_logs');
    expect(error.errors).toMatchObject([{ line: 2, column: 3, token: 'now' }]);
    expect(error.errors[0]?.message).toContain('In GoogleSQL, write CURRENT_TIMESTAMP().');
  });

  it('notices a string in double quotes that is spelled like a column', () => {
    const notices = compile('SELECT\n "id" AS x, "other" AS y FROM edge_logs').notices;
    expect(notices).toEqual([
      {
        code: 'sql.quoted_name',
        message: expect.stringContaining('write `id`'),
        line: 2,
        column: 2,
      },
    ]);
    expect(compile("SELECT 'id' AS x FROM edge_logs").notices).toEqual([]);
  });

  it('adds no hint for strings in quotes, nor for other errors', () => {
    expect(refusal("SELECT nothing FROM edge_logs WHERE id = 'now()'").message).not.toContain('In GoogleSQL, write');
    expect(refusal('SELECT id FROM edge_logs WHERE').message).not.toContain('In GoogleSQL, write');
  });
});
