import { describe, expect, it } from 'vitest';
import { parseDateText, parseDatetimeText, parseTimestampText, parseTimeText } from './timeText.ts';

const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;

describe('times in strings', () => {
  it.each([
    ['2026-05-01', micros('2026-05-01T00:00:00Z')],
    ['2026-05-01 10:20:30', micros('2026-05-01T10:20:30Z')],
    ['2026-05-01T10:20:30Z', micros('2026-05-01T10:20:30Z')],
    ['2026-05-01 10:20:30 UTC', micros('2026-05-01T10:20:30Z')],
    ['2026-05-01T10:20:30+02:00', micros('2026-05-01T08:20:30Z')],
    ['2026-5-1 1:2:3', micros('2026-05-01T01:02:03Z')],
    ['2026-05-01 10:20:30.1234567', micros('2026-05-01T10:20:30.123Z') + 456n],
    ['0001-01-01', -62_135_596_800_000_000n],
    ['1969-12-31 23:59:59.999999', -1n],
  ])('%s is a TIMESTAMP', (text, expected) => {
    expect(parseTimestampText(text)).toBe(expected);
  });

  it.each([
    '',
    'now',
    '2026-13-01',
    '2026-02-30',
    '2026-05-01 25:00:00',
    '2026-05-01T10:20:30+15:00',
    '0000-01-01',
    ' 2026-05-01',
  ])('%j is not a TIMESTAMP', (text) => {
    expect(parseTimestampText(text)).toBeNull();
  });

  it('a DATETIME has no offset', () => {
    expect(parseDatetimeText('2026-05-01 10:20:30')).toBe(micros('2026-05-01T10:20:30Z'));
    expect(parseDatetimeText('2026-05-01 10:20:30Z')).toBeNull();
  });

  it('a DATE has no time, and a TIME no date', () => {
    expect([parseDateText('1970-01-02'), parseDateText('2024-02-29'), parseDateText('2023-02-29')]).toEqual([
      1n,
      19_782n,
      null,
    ]);
    expect(parseDateText('1970-01-02 00:00:00')).toBeNull();
    expect([parseTimeText('0:0:1.5'), parseTimeText('24:00:00'), parseTimeText('23:59:60')]).toEqual([
      1_500_000n,
      null,
      null,
    ]);
  });
});
