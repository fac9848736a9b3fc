const comma = 0x2c;
const nullRow = Buffer.from('null');

/** Joins encoded rows with commas until the limit of rows or bytes is reached. */
export class RowBytes {
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  #rowCount = 0;
  #hasMore = false;
  #cutByBytes = false;

  constructor(rowsMax: number, bytesMax: number) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
  }

  /** False once a further row would be left out. */
  get isOpen(): boolean {
    return !this.#hasMore && !this.#cutByBytes;
  }

  addText(row: string | null): void {
    this.add(row === null ? null : Buffer.from(row, 'utf8'));
  }

  add(row: Uint8Array | null): void {
    const bytes = row ?? nullRow;
    if (this.#rowCount === this.#rowsMax) {
      this.#hasMore = true;
      return;
    }
    const separator = this.#rowCount === 0 ? 0 : 1;
    const end = this.#length + separator + bytes.length;
    if (end > this.#bytesMax) {
      this.#cutByBytes = true;
      return;
    }
    if (end > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    if (separator === 1) this.#buffer[this.#length] = comma;
    this.#buffer.set(bytes, this.#length + separator);
    this.#length = end;
    this.#rowCount++;
  }

  finish() {
    return {
      bytes: this.#buffer.subarray(0, this.#length),
      facts: { rowCount: this.#rowCount, hasMore: this.#hasMore, cutByBytes: this.#cutByBytes },
    };
  }
}
