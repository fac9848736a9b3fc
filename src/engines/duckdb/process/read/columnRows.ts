import type { DuckDBDataChunk } from '@duckdb/node-api';
import { alignedLength, type ColumnLayout, columnFactBytes } from '../../../../ports/columnFrame.ts';
import { ColumnValues } from './columnValues.ts';
import { type ColumnVector, columnVector } from './columnVectors.ts';
import { framedRowBytesMax } from './rowBytes.ts';
import { type FramedRows, frameBytes, type TakenFrame } from './rowFrames.ts';

/** A chunk whose rows are added to frames. */
export class ColumnChunk {
  readonly rowCount: number;
  readonly vectors: readonly ColumnVector[];
  /** Bytes of the values of each row. */
  readonly sizes: Float64Array;

  constructor(chunk: DuckDBDataChunk, layouts: readonly ColumnLayout[]) {
    this.rowCount = chunk.rowCount;
    this.vectors = layouts.map((layout, column) => columnVector(chunk, column, layout));
    this.sizes = new Float64Array(this.rowCount).fill(layouts.reduce((sum, layout) => sum + fixedSizes[layout], 0));
    for (const { spans } of this.vectors) {
      if (spans === null) continue;
      for (let row = 0; row < this.rowCount; row++) this.sizes[row] = (this.sizes[row] ?? 0) + spans.lengthOf(row);
    }
  }
}

/** What a value takes beside its bytes of any number. */
const fixedSizes: Readonly<Record<ColumnLayout, number>> = { bits: 1, words4: 4, words8: 8, bytes: 4 };

/** Collects rows as columns, in frames, until the limit of rows or bytes is reached. */
export class ColumnRows implements FramedRows {
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  readonly #columns: readonly ColumnValues[];
  #frameRows = 0;
  #frameBytes = 0;
  #takenBytes = 0;
  #rowCount = 0;
  #hasMore = false;
  #cutByBytes = false;

  constructor(rowsMax: number, bytesMax: number, layouts: readonly ColumnLayout[]) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
    this.#columns = layouts.map((layout) => new ColumnValues(layout));
  }

  get frameBytes(): number {
    return this.#frameBytes;
  }

  /** False once a further row would be left out. */
  get isOpen(): boolean {
    return !this.#hasMore && !this.#cutByBytes;
  }

  get facts() {
    return { rowCount: this.#rowCount, hasMore: this.#hasMore, cutByBytes: this.#cutByBytes };
  }

  /** Adds rows from row `from` on until the frame is full or a limit is reached, and returns how many they are. */
  add({ rowCount, sizes, vectors }: ColumnChunk, from: number): number {
    let to = from;
    for (; to < rowCount && this.#frameBytes < frameBytes; to++) {
      const size = sizes[to] ?? 0;
      if (this.#rowCount === this.#rowsMax) this.#hasMore = true;
      else if (size > framedRowBytesMax || this.#takenBytes + this.#frameBytes + size > this.#bytesMax)
        this.#cutByBytes = true;
      if (!this.isOpen) break;
      this.#rowCount += 1;
      this.#frameBytes += size;
    }
    this.#frameRows += to - from;
    if (to > from) for (const [i, column] of this.#columns.entries()) column.append(at(vectors, i), from, to);
    return to - from;
  }

  /** Writes the frame into `next`, or into a larger buffer. */
  takeFrame(next: Buffer): TakenFrame {
    const columns = this.#columns.map((column) => ({
      facts: [column.nullCount, column.valueBytes],
      parts: column.parts,
    }));
    const parts = columns.flatMap((column) => column.parts);
    const factBytes = columns.length * columnFactBytes;
    const bytes = parts.reduce((sum, { length }) => sum + alignedLength(length), factBytes);
    const buffer = bytes <= next.length ? next : Buffer.allocUnsafe(bytes);
    columns.forEach(({ facts: [nullCount = 0, valueBytes = 0] }, i) => {
      buffer.writeInt32LE(nullCount, i * columnFactBytes);
      buffer.writeInt32LE(valueBytes, i * columnFactBytes + 4);
    });
    let end = factBytes;
    for (const part of parts) {
      buffer.set(part, end);
      const padded = end + alignedLength(part.length);
      buffer.fill(0, end + part.length, padded);
      end = padded;
    }
    const rowCount = this.#frameRows;
    for (const column of this.#columns) column.clear();
    this.#takenBytes += this.#frameBytes;
    this.#frameBytes = 0;
    this.#frameRows = 0;
    return { rowCount, payload: [buffer.subarray(0, bytes)], buffer };
  }
}

function at<T>(list: readonly T[], i: number): T {
  const found = list[i];
  if (found === undefined) throw new RangeError(`a chunk has no column ${i}`);
  return found;
}
