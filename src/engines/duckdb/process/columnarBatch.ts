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
