import { describe, expect, it } from 'vitest';
import { lineTime } from './lineTime.ts';

const nowMicros = Date.UTC(2026, 10, 25, 12) * 1000;
const of = (line: string) => lineTime(line, nowMicros);
/** In the zone of this machine. */
const local = (...at: [number, number, number, number, number, number]) =>
  `${new Date(...at).toISOString().slice(0, 19)}Z`;

describe('the time of a line', () => {
  it.each([
    ['2026-11-25T10:00:00Z started', '2026-11-25T10:00:00Z'],
    ['2026-11-25 10:00:00.123456789 +01:00 started', '2026-11-25T09:00:00.123456789Z'],
    ['[2026-11-25T10:00:00,123-0530] started', '2026-11-25T15:30:00.123Z'],
    ['2026-11-25 10:00:00 UTC [7] LOG:  checkpoint', '2026-11-25T10:00:00Z'],
    ['10.0.0.1 - jane [25/Nov/2026:10:00:00 +0200] "GET / HTTP/1.1" 200', '2026-11-25T08:00:00Z'],
    ['1780000000 started', '2026-05-28T20:26:40Z'],
    ['1780000000.25 started', '2026-05-28T20:26:40.25Z'],
    ['1780000000123 started', '2026-05-28T20:26:40.123Z'],
  ])('of %s is read with its zone and its fraction', (line, time) => {
    expect(of(line)).toBe(time);
  });

  it('is that of this machine if it has no zone', () => {
    expect(of('2026-11-25 10:00:00 INFO started')).toBe(local(2026, 10, 25, 10, 0, 0));
    expect(of('Nov  5 03:04:05 host sshd[1]: accepted')).toBe(local(2026, 10, 5, 3, 4, 5));
    expect(of('<34>Nov  5 03:04:05 host su: failed')).toBe(local(2026, 10, 5, 3, 4, 5));
  });

  it('is in the last year if it would lie ahead in this one', () => {
    expect(of('Dec 31 23:59:59 host sshd[1]: accepted')).toBe(local(2025, 11, 31, 23, 59, 59));
  });

  it.each([
    'started',
    '',
    '2026-13-25T10:00:00Z',
    '2026-02-30 10:00:00',
    '2026-11-25T10:00:00.5.6',
    'Foo  5 03:04:05 host',
    '12345678901 events',
    '1780000000abc',
    'at 2026-11-25T10:00:00Z',
  ])('is none in %j', (line) => {
    expect(of(line)).toBeNull();
  });
});
