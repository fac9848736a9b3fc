import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  DuckDBBigIntVector,
  DuckDBBooleanVector,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDoubleVector,
  DuckDBTimestampTZVector,
  DuckDBTimestampVector,
  DuckDBVarCharVector,
} from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import {
  Bool,
  type Data,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { BlobSpans } from '../../src/engines/duckdb/process/read/blobSpans.ts';

/**
 * Writes the rows of a statement as an Arrow stream, as a program of its own would: DuckDB has no writer for it without an
 * extension, so the vectors of the engine go into the buffers of the library as they are.
 */
export async function writeArrow(connection: DuckDBConnection, sql: string, path: string): Promise<void> {
  const result = await connection.stream(sql);
  const names = result.columnNames();
  const writer = new RecordBatchStreamWriter();
  const written = pipeline(writer.toNodeStream(), createWriteStream(path));
  let schema: Schema | undefined;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const part = chunk;
    const children = names.map((_, column) => columnData(part, column));
    schema ??= new Schema(children.map(({ type }, i) => new Field(names[i] ?? '', type as DataType, true)));
    const length = chunk.rowCount;
    writer.write(
      new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })),
    );
  }
  writer.finish();
  await written;
}

function columnData(chunk: DuckDBDataChunk, column: number): Data {
  const length = chunk.rowCount;
  const vector = chunk.getColumnVector(column);
  const raw = bindings.data_chunk_get_vector(chunk.chunk, column);
  // The binding returns null if every value is valid, which its types do not say.
  const validity = bindings.vector_get_validity(raw, Math.ceil(length / 64) * 8) as Uint8Array | null;
  const nulls = validity === null ? { nullCount: 0 } : { nullBitmap: validity.slice() };
  const fixed = (width: number) => bindings.vector_get_data(raw, length * width).slice();
  if (vector instanceof DuckDBBigIntVector)
    return makeData({ type: new Int64(), length, data: fixed(8), ...nulls } as never);
  if (vector instanceof DuckDBDoubleVector)
    return makeData({ type: new Float64(), length, data: fixed(8), ...nulls } as never);
  if (vector instanceof DuckDBTimestampVector || vector instanceof DuckDBTimestampTZVector)
    return makeData({ type: new TimestampMicrosecond(), length, data: fixed(8), ...nulls } as never);
  if (vector instanceof DuckDBBooleanVector) {
    const bits = new Uint8Array(Math.ceil(length / 8));
    for (const [row, value] of fixed(1).entries())
      if (value !== 0) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
    return makeData({ type: new Bool(), length, data: bits, ...nulls });
  }
  if (!(vector instanceof DuckDBVarCharVector)) throw new Error(`no rows of the benchmark have ${vector.type}`);
  const spans = new BlobSpans(chunk, column);
  const valueOffsets = new Int32Array(length + 1);
  const parts: Uint8Array[] = [];
  let end = 0;
  for (let row = 0; row < length; row++) {
    if (spans.read(row)) {
      parts.push(spans.bytes.subarray(spans.from, spans.to));
      end += spans.to - spans.from;
    }
    valueOffsets[row + 1] = end;
  }
  return makeData({ type: new Utf8(), length, data: Buffer.concat(parts, end), valueOffsets, ...nulls });
}
