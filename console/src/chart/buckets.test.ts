import { describe, expect, it } from 'vitest';
import { parseInstant, printInstant } from '../time/instant.ts';
import {
  type Buckets,
  bucketsOf,
  clockOf,
  day,
  endAt,
  hour,
  minute,
  ofMicros,
  ofMonths,
  ofWeeks,
  startAt,
  utc,
  widthText,
} from './buckets.ts';

const at = (text: string): number => parseInstant(text) ?? Number.NaN;
const berlin = clockOf('Europe/Berlin');
const bucket = (buckets: Buckets, text: string) =>
  [startAt(buckets, at(text)), endAt(buckets, at(text))].map(printInstant);
const found = (texts: readonly string[], named: readonly Buckets[] = [], clock = utc): string | null => {
  const buckets = bucketsOf(texts.map(at), named, clock);
  return buckets === null ? null : widthText(buckets);
};

describe('a bucket of time', () => {
  it('of a day has 23 or 25 hours when the clocks of its zone change', () => {
    const days = ofMicros(day, berlin);
    expect(bucket(days, '2026-03-29T12:00:00Z')).toEqual(['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z']);
    expect(bucket(days, '2026-10-25T12:00:00Z')).toEqual(['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z']);
    expect(bucket(days, '2026-10-25T23:00:00Z')).toEqual(['2026-10-25T23:00:00Z', '2026-10-26T23:00:00Z']);
  });

  it('of an hour has an hour also where clocks show it twice', () => {
    expect(bucket(ofMicros(hour, berlin), '2026-10-25T00:30:00Z')).toEqual([
      '2026-10-25T00:00:00Z',
      '2026-10-25T01:00:00Z',
    ]);
    const kolkata = ofMicros(hour, clockOf('Asia/Kolkata'));
    expect(bucket(kolkata, '2026-05-01T10:40:00Z')).toEqual(['2026-05-01T10:30:00Z', '2026-05-01T11:30:00Z']);
  });

  it('of a month is as long as the month, in its zone', () => {
    expect(bucket(ofMonths(1), '2028-02-03T00:00:00Z')).toEqual(['2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z']);
    expect(bucket(ofMonths(1, berlin), '2026-03-31T21:00:00Z')).toEqual([
      '2026-02-28T23:00:00Z',
      '2026-03-31T22:00:00Z',
    ]);
    expect(bucket(ofMonths(3), '2026-05-05T00:00:00Z')).toEqual(['2026-04-01T00:00:00Z', '2026-07-01T00:00:00Z']);
  });

  it('of a week begins on its first day, and buckets of other widths where those of GoogleSQL do', () => {
    expect(bucket(ofWeeks(1), '2026-05-03T10:00:00Z')).toEqual(['2026-04-27T00:00:00Z', '2026-05-04T00:00:00Z']);
    expect(bucket(ofWeeks(0), '2026-05-03T10:00:00Z')).toEqual(['2026-05-03T00:00:00Z', '2026-05-10T00:00:00Z']);
    expect((startAt(ofMicros(5 * day), at('2026-05-03T10:00:00Z')) - at('1950-01-01')) % (5 * day)).toBe(0);
    expect(bucket(ofMicros(5 * minute), '1949-12-31T23:58:00Z')).toEqual([
      '1949-12-31T23:55:00Z',
      '1950-01-01T00:00:00Z',
    ]);
  });
});

describe('the buckets of times', () => {
  it('are those that the query names, if all times are their starts', () => {
    const named = [ofMicros(minute), ofMicros(hour)];
    expect(found(['2026-05-01T10:00:00Z', '2026-05-01T12:00:00Z'], named)).toBe('1 h');
    expect(found(['2026-05-01T10:00:00Z', '2026-05-01T10:07:00Z'], named)).toBe('1 min');
    expect(found(['2026-05-01T10:00:30Z'], named)).toBe('1 s');
    expect(found([], named)).toBe('1 h');
  });

  it('are not as wide as the distance of two times', () => {
    expect(found(['2026-05-01T10:03:00Z', '2026-05-01T10:38:00Z'])).toBe('1 min');
    expect(found(['2026-05-01T10:00:00Z', '2026-05-01T22:00:00Z'])).toBe('1 h');
    expect(found(['2026-05-01T00:00:00Z'])).toBe('1 d');
  });

  it('have the step that most of many times are apart', () => {
    expect(found(['10:03', '10:10', '10:17', '10:45'].map((time) => `2026-05-01T${time}:00Z`))).toBe('7 min');
    expect(found(['10:00', '10:05', '10:10', '10:55'].map((time) => `2026-05-01T${time}:00Z`))).toBe('5 min');
    expect(found(['2026-01-01', '2026-02-01', '2026-05-01'])).toBe('1 month');
    expect(found(['2026-05-04', '2026-05-11', '2026-05-25'])).toBe('7 d');
  });

  it('are days of the zone of the page if only its clocks show midnight', () => {
    const times = ['2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'];
    expect(found(times, [], berlin)).toBe('1 d');
    expect(found(times, [], utc)).toBe('1 h');
  });

  it('are none for times of single events', () => {
    expect(found(['2026-05-01T10:00:00.123Z', '2026-05-01T10:00:07.5Z', '2026-05-01T10:01:00.4Z'])).toBeNull();
    expect(found([])).toBeNull();
  });
});
