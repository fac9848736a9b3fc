import { describe, expect, test } from 'vitest';
import { textPlace, textPlaceInSteps } from './textPlace.ts';

describe('the place of an offset', () => {
  const text = 'ab\né😀\n\nx';

  test.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [4, 2, 2],
    [6, 2, 3],
    [7, 3, 1],
    [8, 4, 1],
    [9, 4, 2],
  ])('%i is line %i, column %i, for any steps', (offset, line, column) => {
    expect(textPlace(text, offset)).toEqual({ line, column });
    for (const stepChars of [0, 1, 2, 5]) {
      const steps = textPlaceInSteps(text, offset, stepChars);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      expect(step.value).toEqual({ line, column });
    }
  });

  test('is searched in steps, whatever the text is', () => {
    for (const part of ['\n', 'x']) {
      const stops = [...textPlaceInSteps(part.repeat(10_000), 10_000, 1000)];
      expect(stops).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
    }
  });
});
