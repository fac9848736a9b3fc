import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { noFacts } from '../callFacts.ts';
import type { TailRow } from './readTail.ts';
import { TailBatch } from './tailBatch.ts';
import { tailWriter } from './tailFormat.ts';
import { type TailPlace, wholeEvent } from './tailIds.ts';
import { TailReader } from './tailReader.ts';

const end = (arrival: number): TailPlace => ({ arrival, row: wholeEvent });
/** Forty rows of this length fill a queue. */
const long = 7_000;
const rowsOf = (from: number, to: number, chars = long): TailRow[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    place: { arrival: from + n, row: 0 },
    json: JSON.stringify({ n: from + n, text: 'x'.repeat(chars) }),
  }));

/** A reader whose client takes nothing until it is told to. */
function slowReader(at = 0) {
  let nowMs = 0;
  let dropped = 0;
  const writer = tailWriter('ndjson');
  const idOf = ({ arrival, row }: TailPlace) => `${arrival}.${row}`;
  const reader = new TailReader(end(at), {
    writer,
    idOf,
    nowMs: () => nowMs,
    nowMicros: () => nowMs * 1000,
    facts: noFacts(),
    onDropped: (rows) => {
      dropped += rows;
    },
    onClosed: () => undefined,
  });
  const parts: { event: string; id?: string; data: Record<string, unknown> }[] = [];
  const takeAll = async () => {
    for (let chunk = reader.stream.read(); chunk !== null; chunk = reader.stream.read()) {
      for (const line of String(chunk).split('\n')) if (line !== '') parts.push(JSON.parse(line));
    }
    await new Promise((resolve) => process.nextTick(resolve));
  };
  const batch = (rows: TailRow[], to: number) => new TailBatch({ rows, end: end(to) }, idOf);
  return {
    reader,
    parts,
    takeAll,
    batch,
    advanceMs: (ms: number) => {
      nowMs += ms;
    },
    dropped: () => dropped,
    numbers: () => parts.filter(({ event }) => event === 'row').map(({ data }) => data.n),
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('a reader of a tail', () => {
  it('gets rows once, whatever it has already', () => {
    const { reader, batch } = slowReader(2);
    reader.take(batch(rowsOf(1, 4), 5));
    expect(reader.place).toEqual(end(5));
    reader.take(batch(rowsOf(3, 4), 4));
    expect(String(reader.stream.read()).match(/"n":\d/g)).toEqual(['"n":3', '"n":4']);
  });

  it('reads again what had no room, until it is up to date', async () => {
    const { reader, batch, takeAll, numbers } = slowReader();
    reader.take(batch(rowsOf(1, 100), 100));
    reader.take(batch(rowsOf(101, 110), 110));
    expect(reader.needsRows).toBe(false);
    await takeAll();
    const got = numbers().length;
    expect([got > 30 && got < 60, reader.needsRows, reader.place]).toEqual([true, true, { arrival: got, row: 0 }]);
    for (const at of [40, 80, 110]) {
      const from = reader.place.arrival + 1;
      if (from <= at) reader.catchUp(batch(rowsOf(from, at), at), end(110));
      await takeAll();
    }
    reader.catchUp(batch(rowsOf(reader.place.arrival + 1, 110), 110), end(110));
    await takeAll();
    expect(numbers()).toEqual(range(1, 110));
    expect(reader.needsRows).toBe(false);
    reader.take(batch(rowsOf(111, 111), 111));
    await takeAll();
    expect(numbers().at(-1)).toBe(111);
  });

  it.each([
    ['30 seconds', 100, 30_000, long],
    ['10,000 rows', 14_000, 0, 100],
  ])('skips what it misses after %s, and is told how much exactly', async (_title, rows, ms, chars) => {
    const { reader, batch, takeAll, numbers, parts, advanceMs, dropped } = slowReader();
    reader.take(batch(rowsOf(1, rows, chars), rows));
    advanceMs(ms);
    reader.look(end(rows));
    await takeAll();
    const got = numbers().length;
    reader.look(end(rows));
    await takeAll();
    expect(parts.at(-1)).toEqual({
      event: 'dropped',
      id: `${rows}.${wholeEvent}`,
      data: { count: rows - got, exact: true },
    });
    expect([dropped(), reader.needsRows]).toEqual([rows - got, false]);
    reader.take(batch(rowsOf(rows + 1, rows + 1), rows + 1));
    await takeAll();
    expect(numbers().at(-1)).toBe(rows + 1);
  });

  it('that resumes may be far behind, and skips nothing while it reads', async () => {
    const { reader, batch, takeAll, numbers, advanceMs, parts } = slowReader();
    reader.begin({}, 'resumed');
    reader.take(batch(rowsOf(10_200, 10_200), 10_200));
    advanceMs(60_000);
    reader.look(end(10_200));
    for (let to = 1_000; reader.needsRows; to += 1_000) {
      const last = Math.min(to, 10_200);
      reader.catchUp(batch(rowsOf(reader.place.arrival + 1, last, 100), last), end(10_200));
      await takeAll();
      reader.look(end(10_200));
    }
    expect(numbers()).toEqual(range(1, 10_200));
    expect(parts.some(({ event }) => event === 'dropped')).toBe(false);
  });

  it('gets a mark after 15 seconds without anything else, with the place up to which there was nothing', async () => {
    const { reader, takeAll, parts, advanceMs } = slowReader();
    advanceMs(14_999);
    reader.look(end(7));
    advanceMs(1);
    reader.look(end(8));
    reader.look(end(9));
    await takeAll();
    expect(parts).toEqual([{ event: 'mark', id: `8.${wholeEvent}`, data: {} }]);
  });

  it('is told why it ends, unless it takes nothing', async () => {
    const ending = new ServiceError('service.draining', 'The service is shutting down.');
    const quick = slowReader();
    quick.reader.end(ending);
    await quick.takeAll();
    expect(quick.parts).toEqual([
      { event: 'end', data: { code: 'service.draining', detail: 'The service is shutting down.', retryable: true } },
    ]);
    const slow = slowReader();
    slow.reader.take(slow.batch(rowsOf(1, 100), 100));
    slow.reader.end(ending);
    expect(slow.reader.stream.destroyed).toBe(true);
  });

  it('gives its place free if it does not take the end for ten seconds', () => {
    const { reader, batch, advanceMs } = slowReader();
    reader.take(batch(rowsOf(1, 1), 1));
    reader.end(new ServiceError('service.draining', 'The service is shutting down.'));
    advanceMs(9_000);
    reader.leaveIfLate();
    expect(reader.stream.destroyed).toBe(false);
    advanceMs(1_000);
    reader.leaveIfLate();
    expect(reader.stream.destroyed).toBe(true);
  });
});
