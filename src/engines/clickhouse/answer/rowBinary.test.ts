import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BinaryValue, bytesOf, valuesOf } from '../../../../test/support/binaryRows.ts';
import { processorMs } from '../../../../test/support/processorTime.ts';
import { integerAt, RowBinaryReader, rowBytesMax, UnreadableAnswer } from './rowBinary.ts';

const types = ['String', 'Nullable(String)', 'LowCardinality(Nullable(String))', 'Int64', 'Nullable(Float64)', 'Bool'];

function length(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

function text(value: Buffer): Buffer {
  return Buffer.concat([length(value.length), value]);
}

const named = (value: string) => text(Buffer.from(value));

function header(columnTypes: readonly string[]): Buffer {
  const names = columnTypes.map((_, i) => named(`out_${i}`));
  return Buffer.concat([length(columnTypes.length), ...names, ...columnTypes.map(named)]);
}

function cell(type: string, value: BinaryValue): Buffer {
  const isNullable = type.includes('Nullable');
  if (value === null) return Buffer.from([1]);
  const mark = Buffer.from(isNullable ? [0] : []);
  return Buffer.concat([mark, Buffer.isBuffer(value) ? text(value) : bytesOf(value)]);
}

const string = fc
  .string({ unit: 'binary', maxLength: 300 })
  .map((each): BinaryValue => Buffer.from(each.toWellFormed()));
const row = fc.tuple(
  string,
  fc.option(string),
  fc.option(string),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.option(fc.double({ noNaN: true })),
  fc.boolean(),
);

function readAll(chunks: readonly Buffer[], columnTypes: readonly string[]) {
  const reader = new RowBinaryReader(columnTypes.map((_, i) => `out_${i}`));
  const rows: (readonly BinaryValue[])[] = [];
  for (const chunk of chunks) {
    reader.add(chunk);
    while (reader.next()) rows.push(valuesOf(reader));
  }
  return { rows, isAtEnd: reader.isAtEnd };
}

it('reads the same rows however the answer is cut into chunks', () => {
  const rows = fc.array(row, { maxLength: 20 });
  fc.assert(
    fc.property(rows, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 30 }), (given, sizes) => {
      const cells = given.flatMap((each) => each.map((value, i) => cell(types[i] ?? '', value)));
      const whole = Buffer.concat([header(types), ...cells]);
      const chunks: Buffer[] = [];
      let from = 0;
      for (const size of sizes) {
        chunks.push(whole.subarray(from, from + size));
        from += size;
      }
      chunks.push(whole.subarray(from));
      expect(readAll(chunks, types)).toEqual({ rows: given, isAtEnd: true });
    }),
  );
});

it('is not at the end while any byte is missing', () => {
  const whole = Buffer.concat([header(['Int64', 'String']), cell('Int64', 5n), cell('String', Buffer.from('abc'))]);
  for (let end = 0; end < whole.length; end++) {
    const { rows, isAtEnd } = readAll([whole.subarray(0, end)], ['Int64', 'String']);
    expect(rows).toEqual([]);
    // Without a row, an answer ends after its header: the number of rows tells them apart.
    expect(isAtEnd).toBe(end === header(['Int64', 'String']).length);
  }
});

it('does not read what it does not know', () => {
  const unreadable = (bytes: Buffer, ...columnTypes: readonly string[]) =>
    expect(() => readAll([bytes], columnTypes)).toThrow(UnreadableAnswer);
  unreadable(header(['Decimal(18, 3)']), 'Decimal(18, 3)');
  unreadable(header(['Array(String)']), 'Array(String)');
  unreadable(header(['String', 'String']), 'String');
  unreadable(Buffer.concat([length(1), named('other'), named('String')]), 'String');
  unreadable(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 'String');
});

it('reads rows up to a length, and gives up a longer one before its bytes have come', () => {
  const columns = ['String', 'String'];
  const half = text(Buffer.alloc(rowBytesMax / 2, 'a'));
  const rows = [half, half, half, half];
  expect(readAll([header(columns), ...rows], columns)).toMatchObject({ rows: { length: 2 }, isAtEnd: true });
  expect(() => readAll([header(columns), ...rows, half, length(rowBytesMax / 2 + 1)], columns)).toThrow(
    UnreadableAnswer,
  );
  expect(() => readAll([header(columns), length(rowBytesMax + 1)], columns)).toThrow(UnreadableAnswer);
});

it('needs no more than a few times as long for a row of many columns as for as many rows of one', () => {
  const cells = Buffer.concat(Array.from({ length: 4_000 }, () => text(Buffer.alloc(20, 'a'))));
  const msOf = (columns: number) => {
    const names = Array.from({ length: columns }, (_, i) => `out_${i}`);
    const reader = new RowBinaryReader(names);
    reader.add(header(names.map(() => 'String')));
    reader.next();
    let rows = 0;
    const ms = processorMs(() => {
      rows = 0;
      for (let from = 0; from < cells.length; from += 16) {
        reader.add(cells.subarray(from, from + 16));
        while (reader.next()) rows++;
      }
    });
    expect(rows).toBe(4_000 / columns);
    return ms;
  };
  msOf(1);
  expect(msOf(4_000)).toBeLessThan(20 * msOf(1) + 20);
});

it('reads integers exactly, as numbers if these can hold them', () => {
  const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const edge = fc.constantFrom(...[0n, 2n ** 32n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)]);
  const near = fc.tuple(edge, fc.bigInt({ min: -2n, max: 2n })).map(([at, by]) => BigInt.asIntN(64, at + by));
  fc.assert(
    fc.property(fc.oneof(any, near), (value) => {
      const read = integerAt(Buffer.concat([Buffer.from([1]), bytesOf(value)]), 1);
      expect(BigInt(read)).toBe(value);
      expect(typeof read).toBe(value >= -(2n ** 53n) && value < 2n ** 53n ? 'number' : 'bigint');
    }),
  );
});
