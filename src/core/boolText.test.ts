import { expect, it } from 'vitest';
import { readBool } from './boolText.ts';

it.each([
  ['true', true],
  ['True', true],
  ['1', true],
  ['false', false],
  ['FALSE', false],
  ['0', false],
  ['', undefined],
  ['yes', undefined],
  ['t', undefined],
  [' true', undefined],
  ['01', undefined],
])('reads %j as %s', (text, value) => {
  expect(readBool(text)).toBe(value);
});
