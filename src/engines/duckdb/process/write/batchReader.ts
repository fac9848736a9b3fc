import { BIGINT, BOOLEAN, DOUBLE, DuckDBDataChunk, type DuckDBType, TIMESTAMP, VARCHAR } from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import type { ColumnType, TableLayout } from '../../files/tableLayout.ts';
import { cellBytes, presenceBytes } from './columnarBatch.ts';

export const columnTypes: Readonly<Record<ColumnType, DuckDBType>> = { VARCHAR, TIMESTAMP, BIGINT, DOUBLE, BOOLEAN };

/** Maximum rows of a data chunk in the engine. */
const chunkRowsMax = 2048;

interface Column {
  readonly type: ColumnType;
  /** Start of the column: lengths of texts, or presence bits. */
  readonly start: number;
  /** Start of the texts of the next chunk, or of all values. */
  valuesAt: number;
}

/**
 * Reads a batch that `encodeBatch` wrote, as data chunks of the engine. Cells go from the bytes to the engine's vectors
 * without becoming JavaScript values, which halves the time.
 */
export class BatchReader {
  readonly rowCount: number;
  readonly #bytes: Buffer;
  readonly #types: readonly DuckDBType[];
  readonly #columns: Column[] = [];

  /** @throws RangeError if the bytes are not one batch of the layout */
  constructor(layout: TableLayout, bytes: Buffer) {
    this.#bytes = bytes;
    this.#types = layout.columns.map(({ type }) => columnTypes[type]);
    this.rowCount = bytes.readUInt32LE(0);
    let at = 4;
    for (const { type } of layout.columns) {
      const valuesAt = at + (type === 'VARCHAR' ? this.rowCount * 4 : presenceBytes(this.rowCount));
      this.#columns.push({ type, start: at, valuesAt });
      at = type === 'VARCHAR' ? this.#textEnd(at, valuesAt) : valuesAt + this.rowCount * cellBytes(type);
    }
    if (at !== bytes.length) throw new RangeError(`an encoded batch of ${bytes.length} bytes ends at ${at}`);
  }

  #textEnd(start: number, textAt: number): number {
    let end = textAt;
    for (let row = 0; row < this.rowCount; row++) end += Math.max(0, this.#bytes.readInt32LE(start + row * 4));
    return end;
  }

  /**
   * Yields all rows once, with numbers from `firstNumber` on (null: none) as their last column, in chunks of `rowsMax`.
   * That is a multiple of 64, so that presence bits are whole words.
   */
  *chunks(firstNumber: number | null, rowsMax = chunkRowsMax): Generator<DuckDBDataChunk, void> {
    for (let first = 0; first < this.rowCount; first += rowsMax) {
      const count = Math.min(rowsMax, this.rowCount - first);
      const chunk = DuckDBDataChunk.create([...this.#types, BIGINT], count);
      for (const [index, column] of this.#columns.entries()) {
        const vector = bindings.data_chunk_get_vector(chunk.chunk, index);
        if (column.type === 'VARCHAR') this.#fillTexts(vector, column, first, count);
        else this.#fillValues(vector, column, cellBytes(column.type), first, count);
      }
      fillNumbers(
        bindings.data_chunk_get_vector(chunk.chunk, this.#columns.length),
        firstNumber === null ? null : firstNumber + first,
        count,
      );
      yield chunk;
    }
  }

  #fillTexts(vector: bindings.Vector, column: Column, first: number, count: number): void {
    const { buffer, byteOffset } = this.#bytes;
    const presence = Buffer.alloc(presenceBytes(count), 0xff);
    for (let row = 0; row < count; row++) {
      const length = this.#bytes.readInt32LE(column.start + (first + row) * 4);
      if (length < 0) {
        presence[row >> 3] = (presence[row >> 3] ?? 0) & ~(1 << (row & 7));
      } else {
        const text = new Uint8Array(buffer, byteOffset + column.valuesAt, length);
        bindings.vector_assign_string_element_len(vector, row, text);
        column.valuesAt += length;
      }
    }
    if (hasAbsent(presence, 0, count)) copyPresence(vector, presence, 0, presence.length);
  }

  #fillValues(vector: bindings.Vector, column: Column, width: number, first: number, count: number): void {
    const from = this.#bytes.byteOffset + column.valuesAt + first * width;
    bindings.copy_data_to_vector(vector, 0, this.#bytes.buffer as ArrayBuffer, from, count * width);
    const presenceAt = column.start + first / 8;
    if (hasAbsent(this.#bytes, presenceAt, count)) copyPresence(vector, this.#bytes, presenceAt, presenceBytes(count));
  }
}

function fillNumbers(vector: bindings.Vector, first: number | null, count: number): void {
  if (first === null) {
    copyPresence(vector, Buffer.alloc(presenceBytes(count)), 0, presenceBytes(count));
    return;
  }
  const numbers = new BigInt64Array(count);
  for (let row = 0, number = BigInt(first); row < count; row++) numbers[row] = number++;
  bindings.copy_data_to_vector(vector, 0, numbers.buffer, 0, numbers.byteLength);
}

/** Without bits of its own, a vector has every cell present. */
function copyPresence(vector: bindings.Vector, bits: Buffer, at: number, bytes: number): void {
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, bits.buffer as ArrayBuffer, bits.byteOffset + at, bytes);
}

/** Whether one of `count` bits, starting at byte `at`, is not set. */
function hasAbsent(bits: Buffer, at: number, count: number): boolean {
  const whole = count >> 3;
  for (let index = 0; index < whole; index++) if (bits[at + index] !== 0xff) return true;
  const rest = (1 << (count & 7)) - 1;
  return ((bits[at + whole] ?? 0) & rest) !== rest;
}
