import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/core/errors.ts';
import { parseLql } from '../../src/lql/parse.ts';
import { printLql } from '../../src/lql/print.ts';
import { hostileText } from './mutations.ts';
import { parse } from './parse.ts';
import { type Clause, Refused } from './query.ts';
import { lqlText } from './texts.ts';
import { timeTest } from './times.ts';

const runs = 1000;

/** The clauses by the grammar alone, or null; the rule on ranges of time included, which the parser checks too. */
function read(text: string): readonly Clause[] | null {
  try {
    const clauses = parse(text);
    for (const clause of clauses) {
      if (clause.kind !== 'filter' || clause.condition.kind !== 'time') continue;
      timeTest(clause.condition.op, clause.condition.time, 0n);
    }
    return clauses;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

/** The text as the service prints it, or the refusal. */
function printed(text: string): string | ServiceError {
  try {
    return printLql(parseLql(text));
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

describe.each([
  ['of the grammar', lqlText],
  ['out of which something was cut, or into which it was put', hostileText],
])('texts %s', (_, texts) => {
  it('are read by the service where the grammar reads them, and printed with their meaning', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const clauses = read(text);
        const again = printed(text);
        if (again instanceof ServiceError) {
          expect(clauses, `${again.message}`).toBeNull();
          expect(again.code).toMatch(/^lql\.syntax$|^sql\.too_complex$/);
          expect(again.errors[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
        } else {
          expect(clauses).not.toBeNull();
          expect(read(again)).toEqual(clauses);
          expect(printed(again)).toBe(again);
        }
      }),
      { numRuns: runs },
    );
  });
});
