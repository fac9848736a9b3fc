import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Text } from './utf8Text.ts';

describe('the text of a file', () => {
  it('is what was written, whatever it is, with or without a mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('\0') && !text.startsWith('\ufeff'));
        expect(utf8Text(Buffer.from(text))).toBe(text);
        expect(utf8Text(Buffer.from(`\ufeff${text}`))).toBe(text);
      }),
    );
  });

  it.each([
    [
      [0x61, 0x0a, 0x62, 0xe9, 0x0a],
      'is not UTF-8: the byte 0xE9 at byte 3 (line 2) begins no character. Save it as UTF-8',
    ],
    [[0x61, 0xff], 'the byte 0xFF at byte 1 (line 1)'],
    [[0x61, 0xe2, 0x82], 'the byte 0xE2 at byte 1 (line 1)'],
    [[0xed, 0xa0, 0x80], 'the byte 0xED at byte 0 (line 1)'],
    [[0xff, 0xfe, 0x61, 0x00], 'is UTF-16, at byte 0; save it as UTF-8'],
    [[0x61, 0x00, 0x62, 0x00], 'is UTF-16, at byte 0; save it as UTF-8'],
    [[0x00, 0x61, 0x00, 0x62], 'is UTF-16, at byte 0; save it as UTF-8'],
    [[0x61, 0x62, 0x63, 0x00], 'has a NUL byte at byte 3 (line 1), so it is not text'],
  ])('refuses %j', (bytes, message) => {
    expect(() => utf8Text(Buffer.from(bytes))).toThrow(message);
  });

  it('finds the first wrong byte of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, seed) => {
        fc.pre(!text.includes('\0'));
        const bytes = Buffer.from(text);
        const at = seed % bytes.length;
        // No text has this byte, and it does not begin another byte order mark.
        bytes[at] = 0xc0;
        const found = Number(/at byte (\d+)/.exec(messageOf(bytes))?.[1]);
        expect(found).toBeLessThanOrEqual(at);
        expect(() =>
          new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, found), { stream: true }),
        ).not.toThrow();
      }),
    );
  });
});

function messageOf(bytes: Buffer): string {
  try {
    utf8Text(bytes);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}
