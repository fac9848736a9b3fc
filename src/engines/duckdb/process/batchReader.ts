import { DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api';
import { assertNever } from '../../../core/assertNever.ts';
import type { ColumnType, TableLayout } from '../tableLayout.ts';

/** Cells `[first, first + count)` of a batch that `encodeBatch` wrote; one array per column, ready for a data chunk. */
export class BatchReader {
  readonly rowCount: number;
  readonly #bytes: Buffer;
  readonly #columns: { readonly type: ColumnType; readonly start: number; textAt: number }[] = [];

  constructor(layout: TableLayout, bytes: Buffer) {
    this.#bytes = bytes;
    this.rowCount = bytes.readUInt32LE(0);
    let at = 4;
    for (const { type } of layout.columns) {
      const textAt = at + this.rowCount * 4;
      this.#columns.push({ type, start: at, textAt });
      at = type === 'VARCHAR' ? this.#textEnd(at, textAt) : at + this.rowCount * (type === 'BOOLEAN' ? 2 : 9);
    }
    if (at !== bytes.length) throw new RangeError(`an encoded batch of ${bytes.length} bytes ends at ${at}`);
  }

  #textEnd(start: number, textAt: number): number {
    let end = textAt;
    for (let row = 0; row < this.rowCount; row++) end += Math.max(0, this.#bytes.readInt32LE(start + row * 4));
    return end;
  }

  /** The next `count` rows; calls must go through the batch in order. */
  columns(first: number, count: number): DuckDBValue[][] {
    return this.#columns.map((column) => {
      const cells: DuckDBValue[] = [];
      for (let row = first; row < first + count; row++) {
        if (column.type === 'VARCHAR') {
          const length = this.#bytes.readInt32LE(column.start + row * 4);
          cells.push(length < 0 ? null : this.#bytes.toString('utf8', column.textAt, column.textAt + length));
          column.textAt += Math.max(0, length);
        } else {
          cells.push(
            this.#bytes[column.start + row] === 0 ? null : this.#cell(column.type, column.start + this.rowCount, row),
          );
        }
      }
      return cells;
    });
  }

  #cell(type: Exclude<ColumnType, 'VARCHAR'>, values: number, row: number): DuckDBValue {
    switch (type) {
      case 'BIGINT':
        return this.#bytes.readBigInt64LE(values + row * 8);
      case 'TIMESTAMP':
        return new DuckDBTimestampValue(this.#bytes.readBigInt64LE(values + row * 8));
      case 'DOUBLE':
        return this.#bytes.readDoubleLE(values + row * 8);
      case 'BOOLEAN':
        return this.#bytes[values + row] === 1;
      default:
        return assertNever(type);
    }
  }
}
