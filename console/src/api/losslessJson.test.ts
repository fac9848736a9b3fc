import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLossless, parseMarked, printJson } from './losslessJson.ts';

describe('JSON without loss', () => {
  it('keeps every digit of an integer', () => {
    for (const parse of [parseLossless, parseMarked]) {
      expect(parse('{"a":9223372036854775807,"b":[-9223372036854775808],"c":1,"d":"9223372036854775807"}')).toEqual({
        a: 9223372036854775807n,
        b: [-9223372036854775808n],
        c: 1,
        d: '9223372036854775807',
      });
    }
  });

  it('leaves other numbers as they are', () => {
    expect(parseLossless('[1.5e300, 12345678901234567.5, 0.1234567890123456789]')).toEqual([
      1.5e300, 12345678901234568, 0.12345678901234568,
    ]);
  });

  it('is read back from what it prints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printJson(parseMarked(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });
});
