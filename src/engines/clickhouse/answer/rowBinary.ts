/** How a column comes: its type without what says that it may be NULL. */
export type BinaryKind = 'String' | 'Int64' | 'Float64' | 'Bool';

/** A row in the bytes in which it came. Valid until the next chunk is added or the next row is read. */
export interface BinaryRow {
  readonly bytes: Buffer;
  /** Where the value of each column begins; -1 for NULL. A String begins with its text, not with its length. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly kinds: readonly BinaryKind[];
}

interface BinaryColumn {
  readonly kind: BinaryKind;
  /** Bytes; 0 for a String, whose length comes before it. */
  readonly width: number;
  /** Whether a byte before the value says that it is NULL. */
  readonly isNullable: boolean;
}

const types: Readonly<Record<string, Pick<BinaryColumn, 'kind' | 'width'>>> = {
  String: { kind: 'String', width: 0 },
  Int64: { kind: 'Int64', width: 8 },
  Float64: { kind: 'Float64', width: 8 },
  Bool: { kind: 'Bool', width: 1 },
  UInt8: { kind: 'Bool', width: 1 },
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
export class RowBinaryReader implements BinaryRow {
  readonly #names: readonly string[];
  /** The bytes that have not been read yet are those from `#from` to `#to`. */
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  /** Whether the buffer is not a chunk that somebody else made. */
  #isOwn = false;
  #columns: readonly BinaryColumn[] | null = null;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  kinds: readonly BinaryKind[] = [];
  /** Of the row that begins at `#from`: how many values have been read, where the next one begins, and the bytes of their texts. */
  #read = 0;
  #next = 0;
  #textBytes = 0;
  /** Where the length that was read last ends. */
  #lengthEnd = 0;

  /** `names`: the columns that the answer must have. */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Whether all bytes were read, and the last row is whole. */
  get isAtEnd(): boolean {
    return this.#columns !== null && this.#from === this.#to;
  }

  add(chunk: Buffer): void {
    const unread = this.#to - this.#from;
    if (unread === 0) {
      this.#bytes = chunk;
      this.#from = this.#next = 0;
      this.#to = chunk.length;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn || this.#to + chunk.length > this.#bytes.length) {
      // Room for as much again, so that a row in many chunks is not copied for each of them.
      const larger = Buffer.allocUnsafe(2 * (unread + chunk.length));
      this.#bytes.copy(larger, 0, this.#from, this.#to);
      this.#bytes = larger;
      this.#moveBack(this.#from);
      this.#to = unread;
      this.#isOwn = true;
    }
    chunk.copy(this.#bytes, this.#to);
    this.#to += chunk.length;
  }

  /** Where the row that has come in part lies, in a buffer that begins with it. */
  #moveBack(by: number): void {
    for (let i = 0; i < this.#read; i++) {
      const start = this.starts[i] as number;
      if (start === -1) continue;
      this.starts[i] = start - by;
      this.ends[i] = (this.ends[i] as number) - by;
    }
    this.#next -= by;
    this.#from = 0;
  }

  /** Reads the next row. Returns whether its bytes have come. @throws UnreadableAnswer */
  next(): boolean {
    this.#columns ??= this.#readHeader();
    const columns = this.#columns;
    if (columns === null || this.#from === this.#to) return false;
    // From the first value that had not come: a row of many columns may come in many chunks.
    let at = this.#next;
    for (let i = this.#read; i < columns.length; i++) {
      const end = this.#readValue(columns[i] as BinaryColumn, i, at);
      if (end === null) {
        this.#read = i;
        this.#next = at;
        return false;
      }
      at = end;
    }
    this.#from = this.#next = at;
    this.#read = this.#textBytes = 0;
    return true;
  }

  /** Returns where the value ends; null if it has not come whole. */
  #readValue({ width, isNullable }: BinaryColumn, column: number, from: number): number | null {
    let at = from;
    if (isNullable) {
      if (at === this.#to) return null;
      if (this.#bytes[at++] !== 0) {
        this.starts[column] = -1;
        return at;
      }
    }
    let bytes = width;
    if (width === 0) {
      const length = this.#lengthAt(at);
      if (length === null) return null;
      if (this.#textBytes + length > rowBytesMax) throw new UnreadableAnswer('a row is too long');
      bytes = length;
      at = this.#lengthEnd;
    }
    if (at + bytes > this.#to) return null;
    if (width === 0) this.#textBytes += bytes;
    this.starts[column] = at;
    this.ends[column] = at + bytes;
    return at + bytes;
  }

  /** Null if it has not come whole. */
  #readHeader(): readonly BinaryColumn[] | null {
    const count = this.#lengthAt(this.#from);
    if (count === null) return null;
    if (count !== this.#names.length) throw new UnreadableAnswer(`an answer has ${count} columns`);
    const texts: string[] = [];
    let at = this.#lengthEnd;
    while (texts.length < 2 * count) {
      const length = this.#lengthAt(at);
      if (length === null) return null;
      if (length > rowBytesMax) throw new UnreadableAnswer('a name is too long');
      at = this.#lengthEnd + length;
      if (at > this.#to) return null;
      texts.push(this.#bytes.toString('utf8', this.#lengthEnd, at));
    }
    if (this.#names.some((name, i) => name !== texts[i])) throw new UnreadableAnswer('an answer has other columns');
    const columns = texts.slice(count).map(columnOf);
    this.kinds = columns.map(({ kind }) => kind);
    this.#from = this.#next = at;
    return columns;
  }

  /** Null if it has not come whole. */
  #lengthAt(at: number): number | null {
    let value = 0;
    for (let i = 0; i < lengthBytesMax; i++) {
      if (at + i >= this.#to) return null;
      const byte = this.#bytes[at + i] ?? 0;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) {
        this.#lengthEnd = at + i + 1;
        return value;
      }
    }
    throw new UnreadableAnswer('a length has too many bytes');
  }
}

function columnOf(type: string): BinaryColumn {
  const plain = /^LowCardinality\((.*)\)$/.exec(type)?.[1] ?? type;
  const nullable = /^Nullable\((.*)\)$/.exec(plain)?.[1];
  const known = types[nullable ?? plain];
  if (known === undefined) throw new UnreadableAnswer(`an answer has a column of type ${type}`);
  return { ...known, isNullable: nullable !== undefined };
}

/** The Int64 at a place, if a number represents it exactly; otherwise as a bigint. */
export function integerAt(bytes: Buffer, at: number): number | bigint {
  const high = bytes.readInt32LE(at + 4);
  if (high < -safeHigh || high >= safeHigh) return bytes.readBigInt64LE(at);
  return high * 2 ** 32 + bytes.readUInt32LE(at);
}

/** Upper half of 2^53. */
const safeHigh = 2 ** 21;
