import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from './parseDate.ts';
import { parseTimestamp } from './parseTimestamp.ts';

const noon = Date.UTC(2026, 4, 1, 12, 0, 0) * 1000;

describe('parseTimestamp', () => {
  it.each<[string, number]>([
    ['2026-05-01T12:00:00Z', noon],
    ['2026-05-01t12:00:00z', noon],
    ['2026-05-01T14:00:00+02:00', noon],
    ['2026-05-01T06:30:00-05:30', noon],
    ['2026-05-01T12:00:00-00:00', noon],
    ['2026-05-02T11:59:00+23:59', noon],
    ['2026-05-01T12:00:00', noon],
    ['2026-05-01 12:00:00', noon],
    ['2026-05-01 12:00:00Z', noon],
    ['2026-05-01T14:00:00 02:00', noon],
    ['2026-05-01 14:00:00 02:00', noon],
    ['2026-05-01 14:00:00.5 02:00', noon + 500_000],
    ['2026-05-01', noon - 43_200_000_000],
    ['2026-05-01T12:00:00.1Z', noon + 100_000],
    ['2026-05-01T12:00:00.000123Z', noon + 123],
    ['2026-05-01T12:00:00.000000999Z', noon],
    ['2026-05-01T12:00:00.123456789', noon + 123_456],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['1970-01-01', 0],
    ['2024-02-29', Date.UTC(2024, 1, 29) * 1000],
    ['2000-02-29', Date.UTC(2000, 1, 29) * 1000],
    ['0001-01-01', -62_135_596_800_000_000],
    ['9999-12-31T23:59:59Z', 253_402_300_799_000_000],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_000_000],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1) * 1000],
    ['2017-01-01T00:59:60+01:00', Date.UTC(2017, 0, 1) * 1000],
  ])('reads %s', (text, micros) => {
    expect(parseTimestamp(text)).toBe(micros);
  });

  it.each([
    '',
    ' ',
    'now',
    'yesterday',
    '2026',
    '2026-05',
    '2026-5-1',
    '20260501',
    '2026-05-01T',
    '2026-05-01Z',
    '2026-05-01T12',
    '2026-05-01T12:00',
    '2026-05-01T12:00:00.',
    '2026-05-01T12:00:00.1234567890Z',
    '2026-05-01T12:00:00,5Z',
    '2026-05-01T12:00:00+02',
    '2026-05-01T12:00:00+0200',
    '2026-05-01T12:00:00+24:00',
    '2026-05-01T12:00:00+02:60',
    '2026-05-01T12:00:00  02:00',
    '2026-05-01  12:00:00',
    '2026-05-01_12:00:00',
    '2026-05-01T24:00:00Z',
    '2026-05-01T12:60:00Z',
    '2026-05-01T12:00:61Z',
    '2026-05-01T12:00:60Z',
    '2026-02-29',
    '2100-02-29',
    '2026-02-30T00:00:00Z',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '10000-01-01',
    '-2026-01-01',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:60Z',
    ' 2026-05-01',
    '2026-05-01 ',
    '2026-05-01\n',
    '２０２６-05-01',
    '1714521600',
    '2026-05-01T12:00:00 UTC',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('reads every instant that it is given back, at any offset', () => {
    const instant = fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 });
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (micros, offsetMinutes) => {
        const local = new Date(Math.floor(micros / 1000) + offsetMinutes * 60_000).toISOString();
        const fraction = String(((micros % 1_000_000) + 1_000_000) % 1_000_000).padStart(6, '0');
        const sign = offsetMinutes < 0 ? '-' : '+';
        const size = Math.abs(offsetMinutes);
        const offset = `${sign}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
        const text = `${local.slice(0, 19)}.${fraction}${offset}`;
        expect(parseTimestamp(text)).toBe(micros);
        expect(parseTimestamp(text.replace('+', ' ').replace('T', ' '))).toBe(micros);
      }),
    );
  });
});

it('reads dates as days since 1970', () => {
  expect(parseDate('1970-01-02')).toBe(1);
  expect(parseDate('1969-12-31')).toBe(-1);
  expect(parseDate('0099-03-01')).toBe(-683_309);
  expect(parseDate('2026-02-29')).toBeUndefined();
  expect(parseDate('2026-05-01T00:00:00Z')).toBeUndefined();
});
