import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, parseJsonInSteps } from './losslessJson.ts';

const last = <T>(steps: Generator<number, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};
/** The reader reads it, not JSON.parse. */
const inSteps = (text: string) => parseJsonInSteps(text, 1000, { duplicateKeys: 'error' });

const digits = fc
  .array(fc.tuple(fc.constantFrom('0', '9', '1', '12345'), fc.integer({ min: 0, max: 1500 })), { maxLength: 4 })
  .map((runs) => runs.map(([part, count]) => part.repeat(count)).join(''));
const integer = fc.oneof(
  fc.constant('0'),
  digits.map((rest) => `7${rest}`),
);
const exponent = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('e', 'E+', 'e-'), fc.integer({ min: 0, max: 4000 })).map(([mark, size]) => `${mark}${size}`),
  fc.constantFrom('e', 'e-').map((mark) => `${mark}${'0'.repeat(2000)}5`),
  fc.constantFrom('e', 'e-').map((mark) => `${mark}${'7'.repeat(2000)}`),
);

test('a number of any length is the nearest double', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '-'), integer, digits, exponent, (sign, whole, fraction, power) => {
      const token = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${power}`;
      fc.pre(token.length > 1000);
      expect(last(inSteps(`[${token},null]`))).toEqual([Number(token), null]);
    }),
    { numRuns: 1000 },
  );
});

test('a digit far behind decides between two doubles', () => {
  const halfway = '1.00000000000000011102230246251565404236316680908203125';
  const zeros = '0'.repeat(5000);
  expect(last(inSteps(`${halfway}${zeros}`))).toBe(1);
  expect(last(inSteps(`${halfway}${zeros}1`))).toBe(1 + Number.EPSILON);
});

test.each([
  ['-', ''],
  ['0', ''],
  ['1', '.'],
  ['1', '.x'],
  ['1', 'e'],
  ['1', 'e+'],
  ['1', '.5e-x'],
  ['1', '+'],
])('an error behind many digits is the same as without steps: %s…%s', (beginning, end) => {
  const text = `[${beginning}${'9'.repeat(5000)}${end}]`;
  const message = (read: () => unknown): string => {
    try {
      return String(read());
    } catch (error) {
      return String(error);
    }
  };
  expect(message(() => last(inSteps(text)))).toBe(message(() => parseJson(text, { duplicateKeys: 'error' })));
});

test.each(['9', '0.9', '1e9', '0.0'])('is read in steps: %s…', (beginning) => {
  const text = `[${beginning}${'9'.repeat(100_000)}]`;
  const stops = [0, ...inSteps(text), text.length];
  expect(Math.max(...stops.slice(1).map((stop, i) => stop - (stops[i] ?? 0)))).toBeLessThan(2100);
});
