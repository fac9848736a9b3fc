import type { BinaryKind, BinaryRow } from '../../src/engines/clickhouse/answer/rowBinary.ts';

/** What a column of a row holds; the bytes of a String in UTF-8. */
export type BinaryValue = Buffer | bigint | number | boolean | null;

/** The kind of a value; NULL may be of any. */
export function kindOf(value: BinaryValue): BinaryKind {
  if (typeof value === 'bigint') return 'Int64';
  if (typeof value === 'number') return 'Float64';
  return typeof value === 'boolean' ? 'Bool' : 'String';
}

/** The bytes of a value without its length. */
export function bytesOf(value: BinaryValue): Buffer {
  if (value === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  const bytes = Buffer.alloc(8);
  if (typeof value === 'bigint') bytes.writeBigInt64LE(value);
  else bytes.writeDoubleLE(value);
  return bytes;
}

/** A row of these values, among other bytes. */
export function binaryRow(values: readonly BinaryValue[]): BinaryRow {
  const parts: Buffer[] = [Buffer.from([7])];
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 1;
  for (const value of values) {
    const bytes = bytesOf(value);
    starts.push(value === null ? -1 : length);
    length += bytes.length;
    ends.push(length);
    parts.push(bytes);
  }
  return { bytes: Buffer.concat([...parts, Buffer.from([7])]), starts, ends, kinds: values.map(kindOf) };
}

/** The values of a row. */
export function valuesOf({ bytes, starts, ends, kinds }: BinaryRow): readonly BinaryValue[] {
  return kinds.map((kind, column) => {
    const from = starts[column] ?? -1;
    if (from < 0) return null;
    if (kind === 'Int64') return bytes.readBigInt64LE(from);
    if (kind === 'Float64') return bytes.readDoubleLE(from);
    return kind === 'Bool' ? bytes[from] !== 0 : Buffer.from(bytes.subarray(from, ends[column]));
  });
}
