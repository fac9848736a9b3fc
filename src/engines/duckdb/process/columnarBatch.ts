import type { DuckDBValue } from '@duckdb/node-api';
import { DuckDBTimestampValue } from '@duckdb/node-api';
import { assertNever } from '../../../core/assertNever.ts';
import type { HotValue, StoredEvent } from '../../ports/eventLog.ts';
import type { ColumnType, TableLayout } from '../tableLayout.ts';

const absent = -1;

/**
 * Events as columns, for the way to the engine process. u32 event count, then per column of the
 * layout: text as i32 byte length (-1 = NULL) per cell followed by all bytes in UTF-8; other types as
 * one presence byte per cell followed by 8 bytes (1 for booleans) per cell. Little endian.
 *
 * @throws TypeError where a hot cell does not fit its column; nothing of the batch is sent then.
 */
export function encodeBatch(layout: TableLayout, events: readonly StoredEvent[]): Buffer {
  const columns = layout.columns.map((column, index) => ({ type: column.type, cells: cellsOf(events, index) }));
  let bytes = 4;
  for (const { type, cells } of columns) bytes += columnBytes(type, cells);
  const out = Buffer.allocUnsafe(bytes);
  out.writeUInt32LE(events.length, 0);
  let at = 4;
  for (const { type, cells } of columns) at = writeColumn(out, at, type, cells);
  return out;
}

function cellsOf(events: readonly StoredEvent[], column: number): readonly HotValue[] {
  switch (column) {
    case 0:
      return events.map((event) => event.id);
    case 1:
      return events.map((event) => event.timestampMicros);
    case 2:
      return events.map((event) => event.project);
    case 3:
      return events.map((event) => event.eventMessage);
    case 4:
      return events.map((event) => event.metadata);
    default:
      return events.map((event) => event.hot[column - 5] ?? null);
  }
}

function columnBytes(type: ColumnType, cells: readonly HotValue[]): number {
  if (type === 'BOOLEAN') return cells.length * 2;
  if (type !== 'VARCHAR') return cells.length * 9;
  let bytes = cells.length * 4;
  for (const cell of cells) if (cell !== null) bytes += Buffer.byteLength(textCell(cell), 'utf8');
  return bytes;
}

function textCell(cell: HotValue): string {
  if (typeof cell !== 'string') throw new TypeError(`a text column was given a ${typeof cell}`);
  return cell;
}

function writeColumn(out: Buffer, start: number, type: ColumnType, cells: readonly HotValue[]): number {
  const count = cells.length;
  if (type === 'VARCHAR') {
    let at = start + count * 4;
    for (const [row, cell] of cells.entries()) {
      const length = cell === null ? absent : out.write(textCell(cell), at, 'utf8');
      out.writeInt32LE(length, start + row * 4);
      if (length > 0) at += length;
    }
    return at;
  }
  const width = type === 'BOOLEAN' ? 1 : 8;
  const values = start + count;
  for (const [row, cell] of cells.entries()) {
    out[start + row] = cell === null ? 0 : 1;
    const at = values + row * width;
    if (cell === null) out.fill(0, at, at + width);
    else writeCell(out, at, type, cell);
  }
  return values + count * width;
}

function writeCell(
  out: Buffer,
  at: number,
  type: Exclude<ColumnType, 'VARCHAR'>,
  cell: string | number | bigint | boolean,
): void {
  switch (type) {
    case 'BIGINT':
    case 'TIMESTAMP':
      // Both throw where the value is not an integer within 64 bits.
      out.writeBigInt64LE(BigInt(cell), at);
      return;
    case 'DOUBLE':
      out.writeDoubleLE(Number(cell), at);
      return;
    case 'BOOLEAN':
      out[at] = cell === true ? 1 : 0;
      return;
    default:
      assertNever(type);
  }
}

/** Cells `[first, first + count)` of an encoded batch; one array per column, ready for a data chunk. */
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
