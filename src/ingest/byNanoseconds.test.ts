import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredEvent } from '../ports/eventLog.ts';
import { byNanoseconds } from './byNanoseconds.ts';

const event = (timestampMicros: number, id: string): StoredEvent => ({
  id,
  timestampMicros,
  project: 'p',
  eventMessage: '',
  metadata: null,
  hot: [],
  irregular: [],
});

it('orders the events of one microsecond by their nanoseconds, and moves no other one', () => {
  const events = [event(5, 'a'), event(3, 'b'), event(5, 'c'), event(4, 'd'), event(5, 'e')];
  const ids = (nanos: readonly number[]) =>
    byNanoseconds(events, nanos)
      .map(({ id }) => id)
      .join('');
  expect(ids([900, 0, 100, 999, 500])).toBe('cbeda');
  expect(ids([0, 7, 0, 1, 0])).toBe('abcde');
});

it('gives every event once, none of a microsecond before one that is earlier, and equal ones as they were', () => {
  const moment = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4 }));
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 50 }), (moments) => {
      const events = moments.map(([micros], i) => event(micros, String(i)));
      const ordered = byNanoseconds(
        events,
        moments.map(([, nanos]) => nanos),
      );
      expect(ordered.map(({ timestampMicros }) => timestampMicros)).toEqual(moments.map(([micros]) => micros));
      for (const micros of [0, 1, 2, 3]) {
        const own = ordered.filter(({ timestampMicros }) => timestampMicros === micros).map(({ id }) => Number(id));
        const wanted = [...moments.keys()]
          .filter((i) => moments[i]?.[0] === micros)
          .sort((a, b) => (moments[a]?.[1] ?? 0) - (moments[b]?.[1] ?? 0) || a - b);
        expect(own).toEqual(wanted);
      }
    }),
  );
});
