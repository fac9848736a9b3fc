import { expect, it } from 'vitest';
import { INT64, STRING } from '../types.ts';
import { readFormat } from './formatText.ts';

it('reads a format once, however it goes wrong at its end', () => {
  const long = 300_000;
  // Read anew from each character, one of them would take minutes.
  for (const text of [`%${'0'.repeat(long)}`, `%${'1'.repeat(long)}`, `%.${'0'.repeat(long)}`, '% é'.repeat(long)]) {
    expect(readFormat(text, [INT64])).toHaveProperty('problem');
  }
});

it('has words together, each flag once, and flags that others overrule left out', () => {
  expect(readFormat('a%%b%-0 +-05.007dc', [INT64])).toEqual([
    { kind: 'text', text: 'a%b' },
    { kind: 'value', specifier: { flags: '-+', width: '5', precision: '7', verb: 'd' }, stars: {}, index: 0 },
    { kind: 'text', text: 'c' },
  ]);
});

it.each([
  ['%qecret', 'A specifier of FORMAT is unknown.'],
  ['%-20secret %123q', 'A specifier of FORMAT is unknown.'],
  ['%-17d', 'FORMAT cannot write a value of type STRING with %d, which requires INT64; use %t'],
  ['%s %-17s', 'FORMAT has more specifiers than values: %s has no value.'],
  ['%-*s', 'The * in %s of FORMAT requires an INT64, not STRING.'],
  ["%'.17d", "FORMAT does not support %d: the flag ' cannot be combined with a precision."],
])('tells no more than a verb of %j where it is data', (text, sentence) => {
  const read = readFormat(text, [STRING], 'data');
  expect('problem' in read && read.problem.startsWith(sentence), JSON.stringify(read)).toBe(true);
});
