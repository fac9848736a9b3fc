import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberNames } from './memberNames.ts';
import { INT64 } from './types.ts';

const namesOf = (...names: readonly string[]): readonly string[] =>
  memberNames(names.map((name) => ({ name, type: INT64 })));

it.each([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['', ''],
    ['_field_1', '_field_2'],
  ],
  [
    ['a', 'a', 'A', 'a'],
    ['a', 'a_1', 'A', 'a_2'],
  ],
  [
    ['a', 'a', 'a_1'],
    ['a', 'a_2', 'a_1'],
  ],
  [
    ['', '_field_1'],
    ['_field_1_1', '_field_1'],
  ],
  [[], []],
])('%j are written as %j', (names, written) => {
  expect(namesOf(...names)).toEqual(written);
});

it('gives each field a name of its own, and keeps the first of each name', () => {
  const name = fc.constantFrom('', 'a', 'A', 'a_1', 'a_2', '_field_1', '_field_2', '_field_2_1', '__proto__');
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      const written = namesOf(...names);
      expect(new Set(written).size).toBe(names.length);
      for (const [i, each] of names.entries()) {
        if (each !== '' && names.indexOf(each) === i) expect(written[i]).toBe(each);
      }
    }),
  );
});
