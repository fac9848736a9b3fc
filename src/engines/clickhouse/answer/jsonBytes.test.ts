import fc from 'fast-check';
import { expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/processorTime.ts';
import { JsonBytes, jsonString } from './jsonBytes.ts';

/** Every character of one byte, and some of several. */
const characters = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), 'é', '\u2028', '日', '😀'];

it('writes texts of any length that JSON reads back, with the fewest escapes', () => {
  const piece = fc.tuple(fc.constantFrom(...characters), fc.integer({ min: 1, max: 20_000 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.map(([character, count]) => character.repeat(count)).join('');
      const json = jsonString(text).toString();
      expect(JSON.parse(json)).toBe(text);
      expect(json.length).toBe(JSON.stringify(text).length);
    }),
    { numRuns: 50 },
  );
});

it('needs no more than a few times as long for a text of escapes as for the same text without', () => {
  const bytes = 2 ** 19;
  const json = new JsonBytes();
  const msOf = (character: string) => {
    const text = Buffer.from(character.repeat(bytes));
    return processorMs(() => {
      for (let time = 0; time < 8; time++) {
        json.clear();
        json.string(text);
      }
    });
  };
  const plainMs = msOf('a');
  for (const character of ['"', '\n', '\u0001']) expect(msOf(character)).toBeLessThan(20 * plainMs);
});

it('writes every safe integer as JSON does', () => {
  const edge = fc.constantFrom(0, 9, 10, 999_999_999, 1_000_000_000, 1_000_000_001, 2 ** 53, -(2 ** 53));
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeInteger(), edge), (value) => {
      const json = new JsonBytes();
      json.integer(value);
      expect(json.bytes.toString('latin1', 0, json.length)).toBe(BigInt(value).toString());
    }),
  );
});
