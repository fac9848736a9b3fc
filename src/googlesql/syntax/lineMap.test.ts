import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineMap } from './lineMap.ts';

describe('LineMap', () => {
  it('counts lines and columns from one, whatever the order of asking', () => {
    const lines = new LineMap('ab\ncd\r\n\nx');
    expect([8, 0, 3, 2, 7].map((offset) => lines.position(offset))).toEqual([
      { offset: 8, line: 4, column: 1 },
      { offset: 0, line: 1, column: 1 },
      { offset: 3, line: 2, column: 1 },
      { offset: 2, line: 1, column: 3 },
      { offset: 7, line: 3, column: 1 },
    ]);
  });

  it('agrees with counting line feeds up to the offset', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (source, offsets) => {
        const lines = new LineMap(source);
        for (const offset of offsets.map((each) => Math.min(each, source.length))) {
          const before = source.slice(0, offset).split('\n');
          const column = (before.at(-1)?.length ?? 0) + 1;
          expect(lines.position(offset)).toEqual({ offset, line: before.length, column });
        }
      }),
    );
  });
});
