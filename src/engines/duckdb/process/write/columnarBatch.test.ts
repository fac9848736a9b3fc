import { DuckDBTimestampValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HotValue, StoredEvent } from '../../../../ports/eventLog.ts';
import type { TableLayout } from '../../files/tableLayout.ts';
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

/** The cells of an encoded batch as the engine's vectors hold them, column by column. */
function columnsOf(bytes: Buffer, chunkRows?: number, first = 1): readonly (readonly unknown[])[] {
  const columns: unknown[][] = [...layout.columns, 'number'].map(() => []);
  for (const chunk of new BatchReader(layout, bytes).chunks(first, chunkRows)) {
    for (const index of columns.keys()) columns[index]?.push(...chunk.getColumnValues(index));
  }
  return columns;
}

it('gives back every cell, and numbers that follow one another, in any cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 200, size: 'max' }),
      fc.constantFrom(64, 128, 2048),
      (events, chunkRows) => {
        const bytes = encodeBatch(layout, events);
        expect(new BatchReader(layout, bytes).rowCount).toBe(events.length);
        expect(columnsOf(bytes, chunkRows, 2 ** 40)).toEqual([
          events.map(({ id }) => id),
          events.map(({ timestampMicros }) => new DuckDBTimestampValue(BigInt(timestampMicros))),
          events.map(({ project }) => project),
          events.map(({ eventMessage }) => eventMessage),
          events.map(({ metadata }) => metadata),
          ...[0, 1, 2, 3].map((index) => events.map(({ hot }) => hot[index])),
          events.map((_, index) => BigInt(2 ** 40 + index)),
        ]);
      },
    ),
    { numRuns: 50 },
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
  expect(columnsOf(bytes)[3]).toEqual(['a\ufffdb']);
});

it('finds room for texts that take three bytes for each unit, and for what comes after them', () => {
  const events = Array.from({ length: 100 }, (_, n) => ({
    ...one,
    eventMessage: '\u20ac'.repeat(n * 20),
    metadata: '{}',
  }));
  const columns = columnsOf(encodeBatch(layout, events));
  expect(columns[3]).toEqual(events.map(({ eventMessage }) => eventMessage));
  expect(columns[4]).toEqual(events.map(() => '{}'));
});

it('gives back cells of every chunk, absent ones among them, however long the batch', () => {
  const events = Array.from({ length: 5000 }, (_, n) => ({
    ...one,
    id: `é${n}`,
    metadata: n % 7 === 0 ? null : `{"n":${n}}`,
    hot: [n % 3 === 0 ? null : 'x', n % 5 === 0 ? null : BigInt(n), n / 2, n % 2 === 0 ? true : null],
  }));
  const columns = columnsOf(encodeBatch(layout, events));
  expect(columns[0]).toEqual(events.map(({ id }) => id));
  expect(columns[4]).toEqual(events.map(({ metadata }) => metadata));
  expect(columns.slice(5, 9)).toEqual([0, 1, 2, 3].map((index) => events.map(({ hot }) => hot[index])));
});

it('keeps a NUL within a text', () => {
  expect(columnsOf(encodeBatch(layout, [{ ...one, eventMessage: 'a\0b, longer than twelve' }]))[3]).toEqual([
    'a\0b, longer than twelve',
  ]);
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
