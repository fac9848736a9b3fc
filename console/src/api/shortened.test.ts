import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLossless } from './losslessJson.ts';
import { shortened } from './shortened.ts';

describe('a value for a cell', () => {
  it('is the JSON of a small nested value', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify(value);
        expect(shortened(parseLossless(text), 1_000_000)).toBe(text);
      }),
      { numRuns: 50 },
    );
    expect(shortened({ n: 9223372036854775807n }, 100)).toBe('{"n":9223372036854775807}');
  });

  it('is never much longer than asked for', () => {
    for (const value of ['x'.repeat(1000), Array.from({ length: 1000 }, () => 'x'), { x: { x: 'x'.repeat(1000) } }])
      expect(shortened(value, 100)).toHaveLength(101);
  });

  it('leaves scalars as they are', () => {
    for (const value of [null, true, 1.5, 9223372036854775807n, 'text']) expect(shortened(value, 100)).toBe(value);
  });

  // A pattern that gives spaces back one by one takes minutes for this, and holds the page as long.
  it('is made in one pass over a nested text of spaces', () => {
    expect(shortened({ a: ' '.repeat(1_000_000) }, 100)).toMatch(/^\{"a":" {94}…$/);
  });
});
