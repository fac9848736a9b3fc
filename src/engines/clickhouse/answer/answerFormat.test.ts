import { expect, it } from 'vitest';
import { valuesOf } from '../../../../test/support/binaryRows.ts';
import { CountedTurns, everyLookEndsTurn } from '../../../../test/support/turnsTaken.ts';
import { Pause } from '../../../core/concurrency/turns.ts';
import type { ClickHouseFailure } from '../connection/failure.ts';
import type { Fetch } from '../emit/fetch.ts';
import { type AnswerBounds, answerFormat } from './answerFormat.ts';
import type { DirectAnswer } from './directAnswer.ts';
import type { JsonBytes } from './jsonBytes.ts';

const wide: AnswerBounds = { rowsMax: 100, bytesMax: 10_000, answerBytesMax: 10_000 };

/** An answer with one INT64, whose rows have the check and the number of events as further columns. */
const answer: DirectAnswer = {
  fetch: { columns: [{ name: 'out_0' }], checks: [{ kind: 'irregular' }], countsEvents: true } as unknown as Fetch,
  writeRow: (row, json) => json.ascii(`{"x":${String(valuesOf(row)[0])}}`),
  writeKeys: (row, json) => json.ascii(`{"k0":${String(valuesOf(row)[0])}}`),
};

const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

const header = Buffer.concat([
  Buffer.from([3]),
  ...['out_0', 'out_check', 'out_events', 'Int64', 'Int64', 'Int64'].map(text),
]);

interface Row {
  readonly x: number;
  readonly check?: number;
  readonly events?: number;
}

const rowOf = ({ x, check = 0, events = 1 }: Row) => Buffer.concat([x, check, events].map(integer));

async function* chunksOf(...chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function read(rows: readonly Row[], bounds: AnswerBounds = wide, announced = rows.length, end = Buffer.alloc(0)) {
  const body = chunksOf(header, ...rows.map(rowOf), end);
  return await answerFormat(answer, bounds, new Pause()).read(body, { rows: announced, readRows: 0, readBytes: 0 });
}

const shown = (result: Awaited<ReturnType<typeof read>>) => Buffer.from(result?.rows.rows ?? []).toString();

it('writes the rows, and says what their checks and events add up to', async () => {
  const result = await read([{ x: 1, events: 3 }, { x: 2, check: 1, events: 4 }, { x: 3 }]);
  expect(shown(result)).toBe('{"x":1},{"x":2},{"x":3}');
  expect(result).toMatchObject({
    check: 1,
    events: 8,
    rows: { rowCount: 3, hasMore: false, cutByBytes: false, pageKeys: ['{"k0":1}', '{"k0":3}'], shortKeyRows: [0, 2] },
  });
});

it('keeps the keys of every row if they are wanted', async () => {
  const result = await read([{ x: 1 }, { x: 2 }], { ...wide, hasRowKeys: true });
  expect(result?.rows.rowKeys).toEqual(['{"k0":1}', '{"k0":2}']);
});

it('checks the rows behind the last one that is wanted too', async () => {
  const rows = [{ x: 1 }, { x: 2 }, { x: 3, check: 1 }];
  const byRows = await read(rows, { ...wide, rowsMax: 1 });
  expect(byRows).toMatchObject({ check: 1, events: 3, rows: { rowCount: 1, hasMore: true, cutByBytes: false } });
  const byBytes = await read(rows, { ...wide, bytesMax: 8 });
  expect(byBytes).toMatchObject({ check: 1, events: 3, rows: { rowCount: 1, hasMore: false, cutByBytes: true } });
});

const kindOf = async (result: Promise<unknown>) =>
  await result.then(
    () => 'none',
    (error: ClickHouseFailure) => error.kind,
  );

it('takes no answer that has other rows than were announced, or another end', async () => {
  expect(await kindOf(read([{ x: 1 }], wide, 2))).toBe('damaged');
  expect(await kindOf(read([{ x: 1 }], wide, 0))).toBe('damaged');
  expect(await kindOf(read([{ x: 1 }], wide, 1, Buffer.from([1])))).toBe('damaged');
  expect(await kindOf(read([{ x: 1 }], wide, 1, rowOf({ x: 2 })))).toBe('damaged');
});

it('gives up an answer that is larger than it may be', async () => {
  expect(await kindOf(read([{ x: 1 }], { ...wide, answerBytesMax: 60 }))).toBe('bound');
});

it('leaves an answer to DuckDB that it cannot read', async () => {
  const body = chunksOf(Buffer.concat([Buffer.from([1]), text('out_0'), text('UInt256')]));
  const result = await answerFormat(answer, wide, new Pause()).read(body, { rows: 0, readRows: 0, readBytes: 0 });
  expect(result).toBeNull();
});

it('leaves text to DuckDB that is not UTF-8, in a row or its keys', async () => {
  const broken = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
  const announced = { rows: 1, readRows: 0, readBytes: 0 };
  for (const where of ['writeRow', 'writeKeys'] as const) {
    const format = answerFormat(
      { ...answer, [where]: (_: unknown, json: JsonBytes) => json.raw(broken) },
      wide,
      new Pause(),
    );
    expect(await format.read(chunksOf(header, rowOf({ x: 1 })), announced)).toBeNull();
  }
});

it('makes room for a long answer in turns, and keeps its rows', async () => {
  const bytes = 1024 * 1024;
  const rows = Array.from({ length: 20 }, (_, x) => ({ x }));
  const long: DirectAnswer = {
    ...answer,
    writeRow: (row, json) => json.string(Buffer.alloc(bytes, String.fromCharCode(97 + Number(valuesOf(row)[0])))),
    writeKeys: null,
  };
  const bounds = { ...wide, bytesMax: 19.5 * bytes };
  const turns = new CountedTurns(everyLookEndsTurn());
  const body = chunksOf(header, ...rows.map(rowOf));
  const announced = { rows: rows.length, readRows: 0, readBytes: 0 };
  const result = await answerFormat(long, bounds, new Pause(turns)).read(body, announced);
  expect(shown(result)).toBe(
    rows
      .slice(0, 19)
      .map(({ x }) => `"${String.fromCharCode(97 + x).repeat(bytes)}"`)
      .join(','),
  );
  // One for each row, and one for each megabyte that is copied.
  expect(turns.taken).toBeGreaterThan(rows.length + 16);
});
