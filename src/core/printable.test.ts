import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableLines } from './printable.ts';

const obeyed = [
  '\u001b[31m',
  '\u0007',
  '\u009b2J',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u2029',
  '\u{e0041}',
  '\u007f',
  'a\rb',
];

describe('a text for a terminal', () => {
  it.each(obeyed)('shows %j escaped', (text) => {
    for (const shown of [printable(text), printableLines(text)]) {
      expect(shown).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e007f}]/u);
      expect(JSON.parse(`"${shown}"`)).toBe(text);
    }
  });

  it('keeps line ends and tabs if they are allowed, and every other character', () => {
    expect(printableLines('é\t😀\nx\r\ny')).toBe('é\t😀\nx\r\ny');
    expect(printable('é\n😀')).toBe('é\\u000a😀');
  });

  it('does not change the meaning of JSON', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        expect(JSON.parse(printableLines(json))).toEqual(JSON.parse(json));
      }),
    );
  });
});
