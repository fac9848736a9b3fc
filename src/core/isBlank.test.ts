import { expect, it } from 'vitest';
import { isBlank } from './isBlank.ts';

it.each(['', ' ', '\t\r\n', '\u00a0', '\ufeff', '\u200b', '\u200f', '\u2028', '\u3164', '\0'])(
  'takes %j for blank',
  (text) => expect(isBlank(text)).toBe(true),
);

it.each(['0', 'a', ' a ', '-', '"', 'é', '\u{1f600}'])('finds text in %j', (text) => expect(isBlank(text)).toBe(false));
