import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMark, TextView } from './textView.ts';

describe('a text as detectors read it', () => {
  it.each([
    ['jane%40example.com', 'jane@example.com'],
    ['jane%2540example.com', 'jane@example.com'],
    [String.raw`jane\u0040example.com`, 'jane@example.com'],
    [String.raw`jane\\u0040example.com`, 'jane@example.com'],
    [String.raw`jane\x40example.com`, 'jane@example.com'],
    [String.raw`jane\100example.com`, 'jane@example.com'],
    ['jane&#64;example.com', 'jane@example.com'],
    ['jane&amp;#x40;example.com', 'jane@example.com'],
    ['jane=40example.com', 'jane@example.com'],
    ['jane＠example．com', 'jane@example.com'],
    ['jane\u200b@exa\u00admple.com', 'jane@example.com'],
    ['jane%u0040example.com', 'jane@example.com'],
    ['jane%25u0040example.com', 'jane@example.com'],
    ['2001%3Adb8%3A%3A1', '2001:db8::1'],
  ])('%s', (raw, text) => {
    expect(TextView.of(raw).text).toBe(text);
  });

  it.each(['%10.0.0.5', String.raw`C:\100\a`, 'wait=40ms.x', 'a & b', '100 %', 'plain text'])(
    'leaves %s as it is',
    (raw) => {
      expect(TextView.of(raw).text).toBe(raw);
    },
  );

  it('maps each unit to the start of what it was decoded from', () => {
    const view = TextView.of('a%40b');
    expect([0, 1, 2, 3].map((unit) => view.rawOffset(unit))).toEqual([0, 1, 4, 5]);
    expect([0, 1, 2].map((unit) => view.isDecoded(unit))).toEqual([false, true, false]);
  });

  it('maps every text to offsets that rise from its start to its end', () => {
    const piece = fc.constantFrom('a', '@', '%40', '%2540', '\\u0040', '&#64;', '\u200b', '[REDACTED:ip]', '\\n', '😀');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const raw = pieces.join('');
        const view = TextView.of(raw);
        const offsets = Array.from({ length: view.text.length + 1 }, (_, unit) => view.rawOffset(unit));
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        expect(offsets.at(-1)).toBe(raw.length);
      }),
    );
  });

  it('reads an earlier mark as one character that no pattern of words or digits matches', () => {
    const { text } = TextView.of('x[REDACTED:ip]y[ip:7f3a9c]');
    expect(text).toHaveLength(4);
    expect(text.replaceAll(/[\w\s]/g, '')).toHaveLength(2);
    expect([isMark('[REDACTED:ip]'), isMark('[REDACTED:ip] '), isMark('[ip]')]).toEqual([true, false, false]);
  });
});
