import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/jsonValue.ts';
import { eventTime } from './eventTime.ts';
import { eventTerms } from './senderTerms.ts';

const arrival = 1_777_629_630_000_000;
const timeOf = (event: JsonObject) => eventTime(event, arrival, eventTerms);

describe('the time of an event', () => {
  test.each<[JsonObject, number, string | null]>([
    [{ timestamp: 1749549723 }, 1749549723000000, 'timestamp'],
    [{ timestamp: 1749549723418 }, 1749549723418000, 'timestamp'],
    [{ timestamp: 1749549723418123 }, 1749549723418123, 'timestamp'],
    [{ timestamp: 1749549723418123999n }, 1749549723418123, 'timestamp'],
    [{ timestamp: 1000000000 }, 1000000000000000, 'timestamp'],
    [{ timestamp: '2025-06-10T10:02:03.418123456Z' }, 1749549723418123, 'timestamp'],
    [{ timestamp: '2025-06-10T12:02:03.418+02:00' }, 1749549723418000, 'timestamp'],
    [{ '@timestamp': '2025-06-10T10:02:03.418Z' }, 1749549723418000, '@timestamp'],
    [{ '@timestamp': 1749549723418 }, 1749549723418000, '@timestamp'],
    [{ date: 1749549723.418123 }, 1749549723418123, 'date'],
    [{ date: 1749549723 }, 1749549723000000, 'date'],
    [{ date: 999999999.5 }, 999999999500000, 'date'],
    [{ date: 0 }, 0, 'date'],
    [{ date: 1749549723418 }, 1749549723418000, 'date'],
    [{ date: '2025-06-10T10:02:03.418123Z' }, 1749549723418123, 'date'],
    [{ timestamp: 1749549723, '@timestamp': 'nonsense', date: 'nonsense' }, 1749549723000000, 'timestamp'],
    [{ '@timestamp': 1749549723, date: 'nonsense' }, 1749549723000000, '@timestamp'],
    [{ timestamp: null, '@timestamp': null, date: 1749549723 }, 1749549723000000, 'date'],
    [{}, arrival, null],
    [{ timestamp: null }, arrival, null],
  ])('%o', (event, micros, member) => {
    expect(timeOf(event)).toMatchObject({ kind: 'time', micros, member });
  });

  test.each<[JsonObject, number]>([
    [{ timestamp: 1749549723418123999n }, 999],
    [{ timestamp: 1749549723418123 }, 0],
    [{ timestamp: '2025-06-10T10:02:03.418123456Z' }, 456],
    [{ timestamp: '2025-06-10T10:02:03.41812345Z' }, 450],
    [{ '@timestamp': '2025-06-10T10:02:03.418Z' }, 0],
    [{ date: '2025-06-10T10:02:03.000000001Z' }, 1],
    [{}, 0],
  ])('%o is %i nanoseconds behind its microsecond', (event, nanos) => {
    expect(timeOf(event)).toMatchObject({ nanos });
  });

  test.each<JsonObject>([
    { timestamp: '1749549723418000' },
    { timestamp: '' },
    { timestamp: 'yesterday' },
    { timestamp: '2025-06-10T10:02:03' },
    { timestamp: '2025-06-10 10:02:03.418 UTC' },
    { timestamp: 0 },
    { timestamp: 174954972 },
    { timestamp: 17495497234 },
    { timestamp: 174954972341800 },
    { timestamp: 17495497234180001n },
    { timestamp: 17495497234181239990n },
    { timestamp: -1749549723 },
    { timestamp: -1749549723418000 },
    { timestamp: 1749549723.5 },
    { timestamp: true },
    { timestamp: false },
    { timestamp: {} },
    { timestamp: [1749549723] },
    { timestamp: 'x'.repeat(10_000) },
    { timestamp: '0001-01-01T00:00:00Z' },
    { timestamp: '9999-12-31T00:00:00Z' },
    { '@timestamp': 'x', date: 1749549723 },
    { date: '1749549723.5' },
    { date: -1.5 },
    { date: 17495497234.5e9 },
    { date: '2025-06-10' },
    { timestamp: 'x', date: 1749549723 },
  ])('%o is refused by a short sentence that names the member', (event) => {
    const result = timeOf(event);
    expect(result).toMatchObject({ kind: 'rejected', code: 'event.timestamp_invalid' });
    if (result.kind !== 'rejected') return;
    const name = ['timestamp', '@timestamp', 'date'].find((member) => Object.hasOwn(event, member));
    expect(result.message.startsWith(`${name} `)).toBe(true);
    expect(result.message.length).toBeLessThan(420);
  });

  test('digits as text are told from other texts', () => {
    expect(timeOf({ timestamp: '1749549723' })).toMatchObject({ message: expect.stringContaining('without quotes') });
    expect(timeOf({ timestamp: 'then' })).not.toMatchObject({ message: expect.stringContaining('without quotes') });
  });

  test('seconds with a fraction keep their microseconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000_000_000 }),
        fc.integer({ min: 0, max: 999_999 }),
        (seconds, micros) => {
          const date = Number(`${seconds}.${String(micros).padStart(6, '0')}`);
          const result = timeOf({ date });
          expect(result).toMatchObject({ micros: seconds * 1_000_000 + micros });
        },
      ),
    );
  });
});
