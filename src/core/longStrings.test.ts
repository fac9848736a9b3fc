import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, parseJsonInSteps } from './losslessJson.ts';

describe('a string longer than a step', () => {
  const last = <T>(steps: Generator<number, T>): T => {
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  };
  /** Makes the reader look, as JSON.parse would lose a digit of it. */
  const large = '12345678901234567890';

  test('is the same text for any cut, as a value and as a name', () => {
    const unit = fc.constantFrom('a', 'é', '😀', '\\n', '\\"', '\\\\', '\\u00e9', '\\ud83d', '\\ude00', '\\u0000', '"');
    fc.assert(
      fc.property(fc.array(unit), fc.array(unit), fc.integer({ min: 1, max: 12 }), (name, value, stepChars) => {
        const text = `[${large},{"${name.join('')}":"${value.join('')}","b":null}]`;
        const read = (parse: () => unknown) => {
          try {
            return { value: parse() };
          } catch (error) {
            return { message: String(error) };
          }
        };
        expect(read(() => last(parseJsonInSteps(text, stepChars)))).toEqual(read(() => parseJson(text)));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['plain', 'x'],
    ['of escapes', '\\n'],
    ['not closed', 'x'],
  ])('is read in steps: %s', (how, part) => {
    const text = `[${large},{"${part.repeat(100_000)}":"${part.repeat(100_000)}${how === 'not closed' ? '' : '"}]'}`;
    const stops: number[] = [];
    try {
      for (const stop of parseJsonInSteps(text, 10_000)) stops.push(stop);
    } catch {
      // The one that is not closed.
    }
    expect(Math.max(...[0, ...stops].map((stop, i) => (stops[i] ?? stop) - stop))).toBeLessThan(20_100);
    expect(stops.length).toBeGreaterThan(15);
  });
});
