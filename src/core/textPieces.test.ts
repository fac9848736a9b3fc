import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from './concurrency/turns.ts';
import type { JsonSyntaxError } from './jsonSyntaxError.ts';
import type { JsonValue } from './jsonValue.ts';
import { type JsonParseOptions, parseJsonInSteps, parseJsonSequenceInSteps } from './losslessJson.ts';
import type { TextPieces } from './textPieces.ts';

/** The text in pieces of the lengths, which repeat; a piece is longer if it would end within a pair. */
function inPieces(text: string, lengths: readonly number[]): TextPieces {
  return function* pieces() {
    for (let from = 0, index = 0; from < text.length; index++) {
      let to = Math.min(text.length, from + (lengths[index % lengths.length] ?? 1));
      if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to++;
      yield text.slice(from, to);
      from = to;
    }
    return undefined;
  };
}

/** The reader reads it, not JSON.parse. */
const byReader: JsonParseOptions = { duplicateKeys: 'error' };

const outcome = (steps: Generator<number, unknown>) => {
  try {
    return { value: atOnce(steps) };
  } catch (error) {
    const { name, message, line, column, offset, token } = error as JsonSyntaxError;
    return { name, message, line, column, offset, token };
  }
};

/** Many times what the reader looks ahead in a text. */
const runs = fc.integer({ min: 0, max: 1500 });
const filler = fc.oneof(
  fc.tuple(fc.constantFrom(' ', '\n', '\t \r\n'), runs).map(([part, count]) => part.repeat(count)),
  fc
    .tuple(fc.constantFrom('a', 'é', '😀', '\\n', '\\u00e9', '\\ud83d', '\\ude00', '\\"', '😀\\ud83d'), runs)
    .map(([part, count]) => ` "${part.repeat(count)}" `),
  fc
    .tuple(fc.constantFrom('1', '-9', '0.00', '1e', '1e-0'), runs)
    .map(([start, count]) => ` ${start}${'7'.repeat(count)} `),
  fc
    .tuple(fc.constantFrom('[1],', '{"a":1},', '"x",', 'true,', '0 ,'), runs)
    .map(([part, count]) => `[${part.repeat(count)}null]`),
  fc
    .tuple(fc.constantFrom('[', '{"a":', '"', ']', '01', 'nul', '\u0001', '"\\x'), runs)
    .map(([part, count]) => part + ' '.repeat(count)),
);
const separated = fc.array(fc.tuple(filler, fc.constantFrom(',', '', ',', ',')), { minLength: 1, maxLength: 8 });

describe('a text in pieces', () => {
  test('is read as the whole text, with the same values or the same error at the same place', () => {
    fc.assert(
      fc.property(
        separated,
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 2500 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 7, 900, 3000),
        (parts, isObject, lengths, stepChars) => {
          const within = parts.map(([part, mark]) => (isObject ? `"k":${part}${mark}` : `${part}${mark}`)).join('');
          const text = isObject ? `{${within}"z":0}` : `[${within}0]`;
          const pieces = inPieces(text, lengths);
          const options = isObject ? { duplicateKeys: 'first' as const } : byReader;
          expect(outcome(parseJsonInSteps(pieces, stepChars, options))).toEqual(
            outcome(parseJsonInSteps(text, stepChars, options)),
          );
          const several = `${parts.map(([part]) => part).join(' ')} ${text}`;
          expect(outcome(parseJsonSequenceInSteps(inPieces(several, lengths), stepChars, 5, byReader))).toEqual(
            outcome(parseJsonSequenceInSteps(several, stepChars, 5, byReader)),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  test('stops as often as the whole text does', () => {
    for (const part of ['x', '\\n', '1,2,', '7', ' ']) {
      const inside = part.repeat(40_000);
      const text = /[x\\]/.test(part) ? `["${inside}"]` : `[${inside}0]`;
      const steps = (of: string | TextPieces) => [...parseJsonInSteps(of, 5_000, byReader)];
      expect(steps(inPieces(text, [3_000]))).toEqual(steps(text));
    }
  });

  test('makes no piece before it is needed, and none after an error', () => {
    let made = 0;
    const pieces = function* () {
      for (const piece of ['[', '1,'.repeat(2_000), 'x', ...Array<string>(100).fill('2,'.repeat(500))]) {
        made++;
        yield piece;
      }
      return undefined;
    };
    expect(outcome(parseJsonInSteps(pieces, 10))).toMatchObject({
      line: 1,
      column: 4002,
      token: `x${'2,'.repeat(9)}2`,
    });
    // The error is found by a second reading.
    expect(made).toBeLessThan(12);
  });

  test('that throws ends the reading', () => {
    const pieces = function* (): Generator<string, undefined> {
      yield '[1,';
      throw new RangeError('no more');
    };
    expect(() => atOnce(parseJsonSequenceInSteps(pieces, 10))).toThrow(new RangeError('no more'));
  });
});

describe('a string that no event can hold', () => {
  const max = 5_000;
  const aroundEvents = { elements: { members: new Map() } };
  const read = (text: string | TextPieces, stepChars: number) =>
    atOnce(
      parseJsonInSteps(text, stepChars, { ...byReader, inEventBytesMax: max, aroundEvents }),
    ) as readonly JsonValue[];

  test.each(['x', '\\n', '\\ud83d\\ude00', 'é', '\\ud83d'])('keeps a start that is still too long: of %s', (part) => {
    const text = `["${part.repeat(20_000)}",{"${part.repeat(20_000)}":[1]},"${part.repeat(max / 2)}"]`;
    const [whole, object, short] = JSON.parse(text) as [string, Record<string, JsonValue>, string];
    const formed = (value: string) => value.toWellFormed();
    for (const stepChars of [1, 999, 3_000]) {
      for (const source of [text, inPieces(text, [700])]) {
        const [value, around, kept] = read(source, stepChars) as [string, Record<string, JsonValue>, string];
        expect([value.length > max, value.length <= max + 2 * stepChars + 2]).toEqual([true, true]);
        expect(formed(whole).startsWith(value)).toBe(true);
        const [name = ''] = Object.keys(around);
        expect(formed(Object.keys(object)[0] ?? '').startsWith(name) && name.length > max).toBe(true);
        expect(around[name]).toEqual([1]);
        expect(kept).toBe(formed(short));
      }
    }
  });

  test('is checked to its end', () => {
    const text = `["${'x'.repeat(20_000)}\\x"]`;
    expect(() => read(text, 100)).toThrow('an escape in a string is not one of');
  });
});
