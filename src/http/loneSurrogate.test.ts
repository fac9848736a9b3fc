import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLoneSurrogate } from './loneSurrogate.ts';

describe('findLoneSurrogate', () => {
  it('agrees with JSON.parse on any mix of escapes', () => {
    const pieces = fc.constantFrom(
      '\\ud83d',
      '\\ude00',
      '\\uDBFF',
      '\\uDC00',
      '\\u0041',
      '\\\\',
      '\\"',
      'ud800',
      'x',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const jsonText = `{"a":"${parts.join('')}"}`;
        const { a } = JSON.parse(jsonText) as { a: string };
        expect(findLoneSurrogate(jsonText) === undefined).toBe(!/\p{Surrogate}/u.test(a));
      }),
    );
  });

  it('returns the offset', () => {
    expect(findLoneSurrogate('["\\\\ud800\\ud800"]')).toBe(9);
  });
});
