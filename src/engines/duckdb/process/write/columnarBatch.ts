import type { Pause } from '../../../../core/concurrency/turns.ts';
import type { HotValue, StoredEvent } from '../../../../ports/eventLog.ts';
import type { ColumnType, TableLayout } from '../../files/tableLayout.ts';

/** Length of a text that is NULL. */
export const absent = -1;

/** Bytes of the presence bits for `count` cells: whole words of 64 bits, as in the engine. */
export function presenceBytes(count: number): number {
  return Math.ceil(count / 64) * 8;
}

export function cellBytes(type: Exclude<ColumnType, 'VARCHAR'>): number {
  return type === 'BOOLEAN' ? 1 : 8;
}

/**
 * Encodes events as columns for the engine process, in a layout that the engine can take over without reading each
 * value: u32 event count, then each column of the layout. Texts are an i32 byte length per cell (-1 = NULL), followed
 * by all bytes in UTF-8. Other types are one bit per cell (1 = present), padded to words of 64 bits, followed by 8
 * bytes (1 for booleans) per cell. Little endian.
 *
 * @throws TypeError or RangeError if a typed cell does not fit its column; nothing of the batch is sent then
 */
export function encodeBatch(layout: TableLayout, events: readonly StoredEvent[]): Buffer {
  const columns = layout.columns.map(({ type }, index) => ({ type, cells: cellsOf(events, index) }));
  const batch = new BatchBytes(columns.reduce((sum, { type, cells }) => sum + likelyBytes(type, cells), 4));
  batch.writeCount(events.length);
  for (const { type, cells } of columns) {
    if (type === 'VARCHAR') batch.writeTexts(cells);
    else batch.writeValues(type, cells);
  }
  return batch.finish();
}

/** Events that are encoded at a time: a few milliseconds. */
const partEvents = 2048;

/**
 * Encodes events in parts with `encodeBatch`; other work gets a turn between them. Throws like it, before anything is
 * sent.
 */
export async function encodeInTurns(
  layout: TableLayout,
  events: readonly StoredEvent[],
  pause: Pause,
): Promise<readonly Buffer[]> {
  if (events.length <= partEvents) return [encodeBatch(layout, events)];
  const parts: Buffer[] = [];
  for (let first = 0; first < events.length; first += partEvents) {
    if (first > 0) await pause.takeIfOver();
    parts.push(encodeBatch(layout, events.slice(first, first + partEvents)));
  }
  return parts;
}

/** Bytes of a column if its texts are ASCII. */
function likelyBytes(type: ColumnType, cells: readonly HotValue[]): number {
  if (type !== 'VARCHAR') return presenceBytes(cells.length) + cells.length * cellBytes(type);
  let bytes = cells.length * 4;
  for (const cell of cells) if (typeof cell === 'string') bytes += cell.length;
  return bytes;
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

/** Maximum UTF-8 bytes of a UTF-16 unit. */
const bytesPerUnitMax = 3;

/** A buffer that grows if texts take more than expected, because writing texts is the way to measure them. */
class BatchBytes {
  #out: Buffer;
  #at = 0;

  constructor(bytes: number) {
    this.#out = Buffer.allocUnsafe(bytes + spareBytes);
  }

  writeCount(count: number): void {
    this.#at = this.#out.writeUInt32LE(count, 0);
  }

  writeTexts(cells: readonly HotValue[]): void {
    let lengthAt = this.#at;
    this.#reserve(lengthAt, cells.length * 4);
    let at = lengthAt + cells.length * 4;
    for (const cell of cells) {
      let length = absent;
      if (cell !== null) {
        if (typeof cell !== 'string') throw new TypeError(`a text column was given a ${typeof cell}`);
        if (at + cell.length * bytesPerUnitMax > this.#out.length) this.#reserve(at, Buffer.byteLength(cell, 'utf8'));
        length = this.#out.write(cell, at, 'utf8');
        at += length;
      }
      this.#out.writeInt32LE(length, lengthAt);
      lengthAt += 4;
    }
    this.#at = at;
  }

  writeValues(type: Exclude<ColumnType, 'VARCHAR'>, cells: readonly HotValue[]): void {
    const width = cellBytes(type);
    const start = this.#at;
    const values = start + presenceBytes(cells.length);
    const end = values + cells.length * width;
    this.#reserve(start, end - start);
    const out = this.#out;
    out.fill(0, start, end);
    for (const [row, cell] of cells.entries()) {
      if (cell === null) continue;
      const presenceAt = start + (row >> 3);
      out[presenceAt] = (out[presenceAt] ?? 0) | (1 << (row & 7));
      const at = values + row * width;
      if (type === 'BOOLEAN') out[at] = cell === true ? 1 : 0;
      else if (type === 'DOUBLE') out.writeDoubleLE(Number(cell), at);
      else writeInteger(out, at, cell);
    }
    this.#at = end;
  }

  finish(): Buffer {
    return this.#out.subarray(0, this.#at);
  }

  /** Makes space for `bytes` from `at` on; keeps everything before `at`. */
  #reserve(at: number, bytes: number): void {
    if (at + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.ceil((at + bytes) * growth) + spareBytes);
    this.#out.copy(larger, 0, 0, at);
    this.#out = larger;
  }
}

/** Spares measuring the last texts of a batch before they are written. */
const spareBytes = 4096;
const growth = 1.25;

const two32 = 2 ** 32;

/** @throws RangeError or SyntaxError if the value is not an integer of 64 bits */
function writeInteger(out: Buffer, at: number, cell: string | number | bigint | boolean): void {
  if (typeof cell !== 'number' || !Number.isSafeInteger(cell)) {
    out.writeBigInt64LE(BigInt(cell), at);
    return;
  }
  const high = Math.floor(cell / two32);
  out.writeUInt32LE(cell - high * two32, at);
  out.writeInt32LE(high, at + 4);
}
