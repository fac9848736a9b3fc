import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowSlices } from './rowSlices.ts';

describe('rows in slices', () => {
  it('are whole rows each, and together the same rows, whatever stands in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.integer({ min: 1, max: 200 }),
        (rows, bytes) => {
          const text = rows.map((row) => JSON.stringify(row)).join(',');
          const slices = [...rowSlices(Buffer.from(text), bytes)];
          expect(slices.join(',')).toBe(text);
          expect(slices.flatMap((slice) => JSON.parse(`[${slice}]`))).toEqual(JSON.parse(`[${text}]`));
          for (const slice of slices.slice(0, -1)) expect(Buffer.byteLength(slice)).toBeGreaterThanOrEqual(bytes);
        },
      ),
    );
  });

  it('of none are none', () => {
    expect([...rowSlices(new Uint8Array())]).toEqual([]);
  });
});
