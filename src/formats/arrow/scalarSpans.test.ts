import fc from 'fast-check';
import { expect, it } from 'vitest';
import { floatSpan, integerSpan, type ReadSpan, timestampSpans } from './scalarSpans.ts';
import { floatOf, int64Of, microsOfTimestamp } from './scalarValues.ts';

/** Texts with characters of such values in any order, and values themselves. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0123456789-.:TZeE+'), maxLength: 30 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.double({ noNaN: true }).map(String),
  fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((value) => String(value / 1000)),
  fc
    .tuple(fc.date({ noInvalidDate: true }), fc.integer({ min: 0, max: 999_999 }), fc.constantFrom('', 'Z'))
    .map(([date, micros, zone]) => `${date.toISOString().slice(0, 19)}.${micros}${zone}`),
  fc.constantFrom('-0', '-0.0', '1.', '-', '2026-02-30T00:00:00Z', '2026-02-29T24:00:00Z', '2026-05-01T10:00:60Z'),
);

it.each<readonly [string, ReadSpan, (text: string) => number | bigint | null]>([
  ['integers', integerSpan, int64Of],
  ['floats', floatSpan, floatOf],
  ['times', timestampSpans(), microsOfTimestamp],
])('reads only %s that have the value of their text', (_, read, readText) => {
  const isSame = (value: number, text: number | bigint | null) =>
    typeof text === 'bigint' ? BigInt(value) === text : Object.is(value, text);
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = Buffer.from(`x${text}"`);
      const value = read(bytes, 1, bytes.length - 1);
      expect(Number.isNaN(value) || isSame(value, readText(text)), text).toBe(true);
    }),
  );
});

it('reads the usual forms', () => {
  const read = (span: ReadSpan, text: string) => span(Buffer.from(text), 0, text.length);
  expect(read(integerSpan, '-123456789012345')).toBe(-123_456_789_012_345);
  expect(read(floatSpan, '-0.25')).toBe(-0.25);
  const span = timestampSpans();
  for (const text of ['2026-05-01T10:00:30.000123Z', '2026-05-01T10:00:30', '1999-12-31T23:59:59.5'])
    expect(BigInt(read(span, text))).toBe(microsOfTimestamp(text));
});
