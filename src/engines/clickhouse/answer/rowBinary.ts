import { isUtf8 } from 'node:buffer';

/** The bytes that have not been read yet, in the order in which they came. Each value is joined at most once. */
class Unread {
  #chunks: Buffer[] = [];
  #first: Buffer = Buffer.alloc(0);
  #from = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    if (this.#from === this.#first.length) {
      this.#first = chunk;
      this.#from = 0;
    } else this.#chunks.push(chunk);
  }

  /** The byte at this distance; undefined beyond the end. */
  at(distance: number): number | undefined {
    const inFirst = this.#from + distance;
    if (inFirst < this.#first.length) return this.#first[inFirst];
    let left = inFirst - this.#first.length;
    for (const chunk of this.#chunks) {
      if (left < chunk.length) return chunk[left];
      left -= chunk.length;
    }
    return undefined;
  }

  /** The next bytes, of which there must be so many. */
  take(count: number): Buffer {
    if (this.#first.length - this.#from < count) {
      this.#first = Buffer.concat([this.#first.subarray(this.#from), ...this.#chunks]);
      this.#from = 0;
      this.#chunks = [];
    }
    const taken = this.#first.subarray(this.#from, this.#from + count);
    this.#from += count;
    this.#bytes -= count;
    if (this.#from === this.#first.length) this.#advance();
    return taken;
  }

  #advance(): void {
    const [next, ...others] = this.#chunks;
    if (next === undefined) return;
    this.#first = next;
    this.#from = 0;
    this.#chunks = others;
  }
}

/** A value: the bytes of a String in UTF-8, and of others what their type holds. */
export type BinaryValue = Buffer | bigint | number | boolean | null;

type Reader = { readonly isNullable: boolean; readonly width: number | null; read(bytes: Buffer): BinaryValue };

const readers: Readonly<Record<string, Omit<Reader, 'isNullable'>>> = {
  String: { width: null, read: (bytes) => bytes },
  Int64: { width: 8, read: (bytes) => bytes.readBigInt64LE() },
  Float64: { width: 8, read: (bytes) => bytes.readDoubleLE() },
  Bool: { width: 1, read: (bytes) => bytes[0] !== 0 },
  UInt8: { width: 1, read: (bytes) => bytes[0] !== 0 },
};

/** An answer that this reader does not read: a column of another type, text that is not UTF-8, or a longer row than it may. */
export class UnreadableAnswer extends Error {}

/**
 * Bytes of a row, as it comes and as JSON. A row is read and written in one turn of the event loop; longer ones are left to the
 * engine process.
 */
export const rowBytesMax = 2 * 2 ** 20;

/** Most bytes of a length (LEB128), which is below 2^35. */
const lengthBytesMax = 5;

/**
 * Reads an answer in the format RowBinaryWithNamesAndTypes, chunk by chunk. It holds no more than one row, which is not longer
 * than `rowBytesMax`, and the chunks that begin it.
 */
export class RowBinaryReader {
  readonly #names: readonly string[];
  readonly #unread = new Unread();
  readonly #header: string[] = [];
  #columns: number | null = null;
  #readers: readonly Reader[] | null = null;
  #row: BinaryValue[] = [];
  /** Of the texts of the row that is being read. */
  #rowBytes = 0;

  /** `names`: the columns that the answer must have. */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Whether all bytes were read, and the last row is whole. */
  get isAtEnd(): boolean {
    return this.#readers !== null && this.#unread.bytes === 0 && this.#row.length === 0;
  }

  add(chunk: Buffer): void {
    this.#unread.add(chunk);
  }

  /** The next row; null if its bytes have not come yet. @throws UnreadableAnswer */
  next(): readonly BinaryValue[] | null {
    this.#readers ??= this.#readHeader();
    if (this.#readers === null) return null;
    while (this.#row.length < this.#readers.length) {
      const reader = this.#readers[this.#row.length];
      const value = reader === undefined ? undefined : this.#value(reader);
      if (value === undefined) return null;
      this.#row.push(value);
    }
    const row = this.#row;
    this.#row = [];
    this.#rowBytes = 0;
    return row;
  }

  #readHeader(): readonly Reader[] | null {
    if (this.#columns === null) {
      const count = this.#length(0);
      if (count === null) return null;
      this.#unread.take(count.bytes);
      this.#columns = count.value;
      if (count.value !== this.#names.length) throw new UnreadableAnswer(`an answer has ${count.value} columns`);
    }
    while (this.#header.length < 2 * this.#columns) {
      const text = this.#text(0);
      if (text === null) return null;
      this.#header.push(text.toString());
    }
    const names = this.#header.slice(0, this.#columns);
    if (names.some((name, i) => name !== this.#names[i])) throw new UnreadableAnswer('an answer has other columns');
    return this.#header.slice(this.#columns).map(readerOf);
  }

  #value({ isNullable, width, read }: Reader): BinaryValue | undefined {
    const flag = isNullable ? 1 : 0;
    if (isNullable) {
      const mark = this.#unread.at(0);
      if (mark === undefined) return undefined;
      if (mark !== 0) {
        this.#unread.take(1);
        return null;
      }
    }
    if (width === null) {
      const text = this.#text(flag);
      if (text === null) return undefined;
      if (!isUtf8(text)) throw new UnreadableAnswer('a text is not UTF-8');
      this.#rowBytes += text.length;
      return text;
    }
    if (this.#unread.bytes < flag + width) return undefined;
    return read(this.#unread.take(flag + width).subarray(flag));
  }

  /** The text whose length is at this distance; null if it has not come yet. */
  #text(distance: number): Buffer | null {
    const length = this.#length(distance);
    if (length === null) return null;
    if (this.#rowBytes + length.value > rowBytesMax) throw new UnreadableAnswer('a row is too long');
    const start = distance + length.bytes;
    if (this.#unread.bytes < start + length.value) return null;
    return this.#unread.take(start + length.value).subarray(start);
  }

  #length(distance: number): { readonly value: number; readonly bytes: number } | null {
    let value = 0;
    for (let i = 0; i < lengthBytesMax; i++) {
      const byte = this.#unread.at(distance + i);
      if (byte === undefined) return null;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return { value, bytes: i + 1 };
    }
    throw new UnreadableAnswer('a length has too many bytes');
  }
}

function readerOf(type: string): Reader {
  const plain = /^LowCardinality\((.*)\)$/.exec(type)?.[1] ?? type;
  const nullable = /^Nullable\((.*)\)$/.exec(plain)?.[1];
  const reader = readers[nullable ?? plain];
  if (reader === undefined) throw new UnreadableAnswer(`an answer has a column of type ${type}`);
  return { ...reader, isNullable: nullable !== undefined };
}
