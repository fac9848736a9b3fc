import { DuckDBTimestampValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HotValue, StoredEvent } from '../../ports/eventLog.ts';
import type { TableLayout } from '../tableLayout.ts';
import { BatchReader } from './batchReader.ts';
import { encodeBatch } from './columnarBatch.ts';

const layout: TableLayout = {
  table: 't',
  columns: [
    { name: 'id', type: 'VARCHAR', isLongText: false },
    { name: 'timestamp', type: 'TIMESTAMP', isLongText: false },
    { name: 'project', type: 'VARCHAR', isLongText: false },
    { name: 'event_message', type: 'VARCHAR', isLongText: true },
    { name: 'metadata', type: 'VARCHAR', isLongText: true },
    { name: 'text', type: 'VARCHAR', isLongText: false },
    { name: 'integer', type: 'BIGINT', isLongText: false },
    { name: 'float', type: 'DOUBLE', isLongText: false },
    { name: 'presence', type: 'BOOLEAN', isLongText: false },
  ],
};

const text = fc.string({ unit: 'grapheme' });
const event: fc.Arbitrary<StoredEvent> = fc.record({
  id: text,
  timestampMicros: fc.maxSafeInteger(),
  project: text,
  eventMessage: text,
  metadata: fc.option(text),
  hot: fc
    .tuple(
      fc.option(text),
      fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      fc.option(fc.double({ noNaN: true })),
      fc.option(fc.constant(true)),
    )
    .map((cells): readonly HotValue[] => cells),
  irregular: fc.constant([]),
});

it('gives back every cell, in any cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(event), fc.integer({ min: 1, max: 5 }), (events, chunkRows) => {
      const reader = new BatchReader(layout, encodeBatch(layout, events));
      expect(reader.rowCount).toBe(events.length);
      const columns: unknown[][] = layout.columns.map(() => []);
      for (let first = 0; first < events.length; first += chunkRows) {
        const some = reader.columns(first, Math.min(chunkRows, events.length - first));
        for (const [index, cells] of some.entries()) columns[index]?.push(...cells);
      }
      expect(columns).toEqual([
        events.map(({ id }) => id),
        events.map(({ timestampMicros }) => new DuckDBTimestampValue(BigInt(timestampMicros))),
        events.map(({ project }) => project),
        events.map(({ eventMessage }) => eventMessage),
        events.map(({ metadata }) => metadata),
        ...[0, 1, 2, 3].map((index) => events.map(({ hot }) => hot[index])),
      ]);
    }),
  );
});

const one: StoredEvent = {
  id: 'a',
  timestampMicros: 1,
  project: 'p',
  eventMessage: 'm',
  metadata: null,
  hot: [null, null, null, null],
  irregular: [],
};

it('writes a lone surrogate as U+FFFD, so that stored text is always valid', () => {
  const bytes = encodeBatch(layout, [{ ...one, eventMessage: 'a\ud800b' }]);
  expect(new BatchReader(layout, bytes).columns(0, 1)[3]).toEqual(['a\ufffdb']);
});

it.each([
  ['a number in a text column', { hot: [1, null, null, null] }],
  ['a fraction in an integer column', { hot: [null, 0.5, null, null] }],
  ['an integer beyond 64 bits', { hot: [null, 2n ** 63n, null, null] }],
  ['a time that is no integer', { timestampMicros: 0.5 }],
])('refuses %s', (_, cells) => {
  expect(() => encodeBatch(layout, [{ ...one, ...cells }])).toThrow();
});

it('refuses bytes that are not one batch of the layout', () => {
  const bytes = encodeBatch(layout, [one]);
  expect(() => new BatchReader(layout, Buffer.concat([bytes, Buffer.of(0)]))).toThrow(RangeError);
});
