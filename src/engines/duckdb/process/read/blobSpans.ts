import type { DuckDBDataChunk } from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';

/**
 * The engine keeps a value as 16 bytes: its length, and then up to 12 bytes of content, or four bytes of it and its address
 * (DuckDB, `string_t`).
 */
const entryBytes = 16;
const lengthBytes = 4;
const inlineMax = 12;
const addressAt = 8;

/** Bytes that may lie between two values of a run. */
const gapMax = 8;
/** Runs are not longer, unless a single value is. */
const runBytes = 256 * 1024;

/**
 * The values of a column of BLOBs or texts. Values that lie side by side in the memory of the engine are copied together,
 * because each copy is a call of the binding and a buffer of its own, which together cost more than the bytes.
 */
export class BlobSpans {
  /** Keeps the memory of the chunk. */
  readonly chunk: DuckDBDataChunk;
  readonly rowCount: number;
  readonly #inline: Uint8Array;
  readonly #entries: DataView;
  readonly #validity: Uint8Array | null;
  #run: Uint8Array = new Uint8Array();
  #runAddress = 0;
  /** The value that was read last is `bytes` from `from` to `to`. */
  bytes: Uint8Array = this.#run;
  from = 0;
  to = 0;

  constructor(chunk: DuckDBDataChunk, column: number) {
    this.chunk = chunk;
    this.rowCount = chunk.rowCount;
    const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
    this.#inline = bindings.vector_get_data(vector, this.rowCount * entryBytes);
    const { buffer, byteOffset, byteLength } = this.#inline;
    this.#entries = new DataView(buffer, byteOffset, byteLength);
    // The binding returns null if every value is valid, which its types do not say.
    this.#validity = bindings.vector_get_validity(vector, Math.ceil(this.rowCount / 64) * 8) as Uint8Array | null;
  }

  /**
   * Reads values from `row` on as one, as far as they touch each other and have at most so many bytes together. Adds where each
   * of them ends, from the beginning of the first, to `ends`, and returns how many they are; none for NULL or a short value.
   */
  readTouching(row: number, rowsMax: number, bytesMax: number, ends: number[]): number {
    const begin = this.#address(row);
    const stopAt = Math.min(this.rowCount, row + rowsMax);
    let bytes = 0;
    let next = row;
    for (; next < stopAt && !this.#isNull(next); next++) {
      const length = this.#entries.getUint32(next * entryBytes, true);
      if (length <= inlineMax || bytes + length > bytesMax || this.#address(next) !== begin + bytes) break;
      bytes += length;
      ends.push(bytes);
    }
    if (next === row) return 0;
    this.bytes = this.#copied(row, bytes);
    this.from = 0;
    this.to = bytes;
    return next - row;
  }

  /** Reads a value; false for NULL. */
  read(row: number): boolean {
    if (this.#isNull(row)) return false;
    const at = row * entryBytes;
    const length = this.#entries.getUint32(at, true);
    if (length <= inlineMax) {
      this.bytes = this.#inline;
      this.from = at + lengthBytes;
    } else {
      const address = this.#address(row);
      const isInRun = address >= this.#runAddress && address + length <= this.#runAddress + this.#run.length;
      if (!isInRun) this.#copyRun(row);
      this.bytes = this.#run;
      this.from = address - this.#runAddress;
    }
    this.to = this.from + length;
    return true;
  }

  /** Bytes of a value; 0 for NULL. */
  lengthOf(row: number): number {
    return this.#isNull(row) ? 0 : this.#entries.getUint32(row * entryBytes, true);
  }

  /** Copies a value and those after it, as far as each begins where the one before ends. */
  #copyRun(row: number): void {
    const begin = this.#address(row);
    let end = begin + this.#entries.getUint32(row * entryBytes, true);
    for (let next = row + 1; next < this.rowCount; next++) {
      if (this.#isNull(next)) continue;
      const length = this.#entries.getUint32(next * entryBytes, true);
      if (length <= inlineMax) continue;
      const gap = this.#address(next) - end;
      if (gap < 0 || gap > gapMax || end + gap + length - begin > runBytes) break;
      end += gap + length;
    }
    this.#run = this.#copied(row, end - begin);
    this.#runAddress = begin;
  }

  /** Copies so many bytes from the beginning of a value. */
  #copied(row: number, bytes: number): Uint8Array {
    const { buffer, byteOffset } = this.#entries;
    return bindings.get_data_from_pointer(buffer as ArrayBuffer, byteOffset + row * entryBytes + addressAt, bytes);
  }

  #isNull(row: number): boolean {
    return this.#validity !== null && ((this.#validity[row >> 3] ?? 0) & (1 << (row & 7))) === 0;
  }

  /** Addresses have at most 48 bits, so they are exact in a double. */
  #address(row: number): number {
    const at = row * entryBytes + addressAt;
    return this.#entries.getUint32(at + 4, true) * 2 ** 32 + this.#entries.getUint32(at, true);
  }
}
