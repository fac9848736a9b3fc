import { assertNever } from '../core/assertNever.ts';
import type { SqlType } from '../googlesql/types.ts';

/**
 * How the values of a column lie in a frame: a bit for each value, four or eight bytes for each, or bytes of any number
 * after the offset at which each value ends.
 */
export type ColumnLayout = 'bits' | 'words4' | 'words8' | 'bytes';

/** Null for types whose columns are handed over only as JSON. A column of type NULL has values that nobody reads. */
export function columnLayout({ kind }: SqlType): ColumnLayout | null {
  switch (kind) {
    case 'BOOL':
      return 'bits';
    case 'DATE':
    case 'NULL':
      return 'words4';
    case 'INT64':
    case 'FLOAT64':
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'TIME':
      return 'words8';
    case 'STRING':
    case 'INTERVAL':
    case 'JSON':
    case 'BYTES':
      return 'bytes';
    case 'ARRAY':
    case 'STRUCT':
      return null;
    default:
      return assertNever(kind);
  }
}

/** Every part of a frame begins at a multiple of this. */
export const columnAlignment = 8;

/** Facts of a column at the beginning of a frame: the number of NULLs and of the bytes of its values, each int32. */
export const columnFactBytes = 8;

/** The values of one column of a frame. A NULL has zeros, or no bytes. */
export interface ColumnPart {
  readonly nullCount: number;
  /** A bit for each row, the first in the lowest, which is set if the value is not NULL; undefined without NULLs. */
  readonly validity: Uint8Array | undefined;
  /** Where each value ends, after a zero; only of `bytes`. */
  readonly offsets: Int32Array | undefined;
  readonly values: Uint8Array;
}

/**
 * Reads a frame of columns: the facts of all columns, then the validity, offsets and values of each, as far as it has these.
 * Values are not copied unless the frame begins at an address that typed arrays do not accept.
 *
 * @throws Error if the frame has other columns
 */
export function readColumns(
  frame: Uint8Array,
  rowCount: number,
  layouts: readonly ColumnLayout[],
): readonly ColumnPart[] {
  const bytes = frame.byteOffset % columnAlignment === 0 ? frame : new Uint8Array(frame);
  const facts = new Int32Array(bytes.buffer, bytes.byteOffset, (layouts.length * columnFactBytes) / 4);
  let at = facts.byteLength;
  const take = (count: number): Uint8Array => {
    const part = bytes.subarray(at, at + count);
    at += alignedLength(count);
    return part;
  };
  const parts = layouts.map((layout, i): ColumnPart => {
    const [nullCount = 0, valueBytes = 0] = facts.subarray(i * 2, i * 2 + 2);
    if (layout !== 'bytes' && valueBytes !== fixedBytes(layout, rowCount)) throw new Error('a frame has other columns');
    const validity = nullCount === 0 ? undefined : take(fixedBytes('bits', rowCount));
    const offsets = layout === 'bytes' ? asInt32(take((rowCount + 1) * 4)) : undefined;
    return { nullCount, validity, offsets, values: take(valueBytes) };
  });
  if (at !== bytes.length) throw new Error(`a frame of columns of ${bytes.length} bytes ends at ${at}`);
  return parts;
}

export function alignedLength(bytes: number): number {
  return Math.ceil(bytes / columnAlignment) * columnAlignment;
}

export function fixedBytes(layout: Exclude<ColumnLayout, 'bytes'>, rowCount: number): number {
  if (layout === 'bits') return Math.ceil(rowCount / 8);
  return rowCount * (layout === 'words4' ? 4 : 8);
}

function asInt32({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
