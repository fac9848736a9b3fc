import { assertNever } from '../../../core/assertNever.ts';
import type { Pause } from '../../../core/concurrency/turns.ts';
import type { HotValue, StoredEvent } from '../../../ports/eventLog.ts';
import type { HotColumn, Source } from '../../../sources/source.ts';
import { isReadableJson, unreadableKey } from '../emit/readableJson.ts';

/** Events of one source in ClickHouse's format RowBinary. The arrival numbers, the last 8 bytes of each row, are open. */
export interface EncodedRows {
  readonly bytes: Buffer;
  /** Where each row ends in `bytes`. */
  readonly ends: readonly number[];
  /** Position of each row's event in its batch, ascending. */
  readonly positions: readonly number[];
}

/**
 * Encodes those events of a batch that `isWanted` picks by their position. Other work gets a turn meanwhile.
 *
 * @throws TypeError, RangeError or SyntaxError if a cell does not fit its column
 */
export async function encodeRows(
  source: Source,
  events: readonly StoredEvent[],
  isWanted: (position: number) => boolean,
  pause: Pause,
): Promise<EncodedRows> {
  const rows = new RowBytes();
  const ends: number[] = [];
  const positions: number[] = [];
  for (const [position, event] of events.entries()) {
    if (!isWanted(position)) continue;
    const before = rows.length;
    encodeRow(rows, source.hotColumns, event);
    ends.push(rows.length);
    positions.push(position);
    if (pause.isDue(rows.length - before)) await pause.take();
  }
  return { bytes: rows.finish(), ends, positions };
}

/** In the order of `tableColumns`. */
function encodeRow(rows: RowBytes, hotColumns: readonly HotColumn[], event: StoredEvent): void {
  rows.text(event.id);
  rows.integer(event.timestampMicros);
  rows.text(event.project);
  rows.text(event.eventMessage);
  if (rows.isPresent(event.metadata)) rows.text(event.metadata);
  for (const [n, hot] of hotColumns.entries()) encodeCell(rows, hot, event.hot[n] ?? null);
  const irregular = irregularOf(event);
  rows.count(irregular.length);
  for (const key of irregular) rows.text(key);
  rows.short(hotColumns.length);
  rows.integer(0);
}

function irregularOf({ irregular, metadata }: StoredEvent): readonly string[] {
  return metadata === null || isReadableJson(metadata) ? irregular : [...irregular, unreadableKey];
}

function encodeCell(rows: RowBytes, { kind, column }: HotColumn, cell: HotValue): void {
  if (!rows.isPresent(cell)) return;
  switch (kind) {
    case 'string':
      if (typeof cell !== 'string') throw new TypeError(`the text column ${column} was given a ${typeof cell}`);
      rows.text(cell);
      break;
    case 'int64':
      rows.integer(cell);
      break;
    case 'float64':
      rows.float(Number(cell));
      break;
    case 'presence':
      rows.byte(cell === true ? 1 : 0);
      break;
    default:
      assertNever(kind);
  }
}

/** Writes the arrival numbers into rows: that of an event is `first` plus its position. */
export function numberRows({ bytes, ends, positions }: EncodedRows, first: number): void {
  for (const [row, end] of ends.entries()) writeInteger(bytes, end - 8, first + (positions[row] ?? 0));
}

/** Maximum UTF-8 bytes of a UTF-16 unit. */
const bytesPerUnitMax = 3;
const firstBytes = 4096;
/** Bytes of the longest row without its texts. */
const spareBytes = 64;

/** A buffer that grows. */
class RowBytes {
  #out = Buffer.allocUnsafe(firstBytes);
  length = 0;

  text(value: string): void {
    // Writing at once and measuring first cost the same for short texts; long ones must not reserve three times their size.
    const bytes = value.length * bytesPerUnitMax <= 1024 ? -1 : Buffer.byteLength(value, 'utf8');
    this.#reserve(bytes < 0 ? value.length * bytesPerUnitMax : bytes);
    if (bytes >= 0) {
      this.count(bytes);
      this.length += this.#out.write(value, this.length, 'utf8');
      return;
    }
    const at = this.length + 1;
    const written = this.#out.write(value, at, 'utf8');
    if (written < 128) {
      this.#out[at - 1] = written;
      this.length = at + written;
      return;
    }
    // The length takes two bytes.
    this.#out.copyWithin(at + 1, at, at + written);
    this.count(written);
    this.length += written;
  }

  /** An unsigned integer of variable length. */
  count(value: number): void {
    this.#reserve(0);
    let left = value;
    while (left >= 128) {
      this.#out[this.length++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.#out[this.length++] = left;
  }

  byte(value: number): void {
    this.#reserve(0);
    this.#out[this.length++] = value;
  }

  short(value: number): void {
    this.#reserve(0);
    this.length = this.#out.writeUInt16LE(value, this.length);
  }

  integer(value: Exclude<HotValue, null>): void {
    this.#reserve(0);
    writeInteger(this.#out, this.length, value);
    this.length += 8;
  }

  float(value: number): void {
    this.#reserve(0);
    this.length = this.#out.writeDoubleLE(value, this.length);
  }

  /** Writes whether a cell of a Nullable column has a value. */
  isPresent<T>(value: T | null): value is T {
    this.byte(value === null ? 1 : 0);
    return value !== null;
  }

  finish(): Buffer {
    return this.#out.subarray(0, this.length);
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes + spareBytes;
    if (needed <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#out.length * 2));
    this.#out.copy(larger, 0, 0, this.length);
    this.#out = larger;
  }
}

const two32 = 2 ** 32;

/** @throws RangeError or SyntaxError if the value is not an integer of 64 bits */
function writeInteger(out: Buffer, at: number, value: Exclude<HotValue, null>): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    out.writeBigInt64LE(BigInt(value), at);
    return;
  }
  const high = Math.floor(value / two32);
  out.writeUInt32LE(value - high * two32, at);
  out.writeInt32LE(high, at + 4);
}
