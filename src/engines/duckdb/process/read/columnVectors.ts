import { type DuckDBDataChunk, type DuckDBResult, DuckDBTypeId } from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import { type ColumnLayout, fixedBytes } from '../../../../ports/columnFrame.ts';
import { RefusedFrame } from '../callFailure.ts';
import { BlobSpans } from './blobSpans.ts';

/** The values of one column of a chunk, in the memory of the engine. */
export interface ColumnVector {
  /** Empty if the values are in `spans`; the engine keeps a BOOLEAN in a byte. */
  readonly data: Uint8Array;
  readonly spans: BlobSpans | null;
  readonly hasNulls: boolean;
  isNull(row: number): boolean;
}

const layouts: ReadonlyMap<DuckDBTypeId, ColumnLayout> = new Map([
  [DuckDBTypeId.BOOLEAN, 'bits'],
  [DuckDBTypeId.INTEGER, 'words4'],
  [DuckDBTypeId.DATE, 'words4'],
  [DuckDBTypeId.BIGINT, 'words8'],
  [DuckDBTypeId.DOUBLE, 'words8'],
  [DuckDBTypeId.TIME, 'words8'],
  [DuckDBTypeId.VARCHAR, 'bytes'],
  [DuckDBTypeId.BLOB, 'bytes'],
]);

/** @throws RefusedFrame for a column whose type has no layout */
export function layoutsOf(result: DuckDBResult): readonly ColumnLayout[] {
  return result.columnTypes().map((type) => {
    const layout = layouts.get(type.typeId);
    if (layout === undefined) throw new RefusedFrame(`a statement of columns has none of type ${type.toString()}`);
    return layout;
  });
}

export function columnVector(chunk: DuckDBDataChunk, column: number, layout: ColumnLayout): ColumnVector {
  const { rowCount } = chunk;
  const vector = bindings.data_chunk_get_vector(chunk.chunk, column);
  // The binding returns null if every value is valid, which its types do not say.
  const validity = bindings.vector_get_validity(vector, Math.ceil(rowCount / 64) * 8) as Uint8Array | null;
  const isNull = (row: number) => validity !== null && ((validity[row >> 3] ?? 0) & (1 << (row & 7))) === 0;
  const given = { hasNulls: validity !== null, isNull };
  if (layout === 'bytes') return { ...given, data: new Uint8Array(), spans: new BlobSpans(chunk, column) };
  const bytes = layout === 'bits' ? rowCount : fixedBytes(layout, rowCount);
  return { ...given, data: bindings.vector_get_data(vector, bytes), spans: null };
}
