import type { Pause } from '../core/concurrency/turns.ts';
import { completeRecord } from './ndjson.ts';
import type { ChosenFormat, FormatColumn, FormatName } from './resultFormat.ts';
import { rowEncoder } from './rowEncoder.ts';

/** A result whose rows are read part by part. */
export interface PartedResult {
  /** Under the names that the format gives them (`formatColumns`). */
  readonly columns: readonly FormatColumn[];
  /** Each is JSON objects separated by commas, members in column order; already redacted. Parts may be empty. */
  readonly parts: AsyncIterable<Uint8Array>;
  readonly rowCount: number;
  /** `meta` as JSON. */
  readonly meta: string;
}

/** Formats that can be written part by part. Parquet is written by the engine (ports/parquetWriter.ts). */
export type PartedFormat = Exclude<FormatName, 'markdown' | 'prometheus' | 'parquet'>;

/** Encodes a result in turns, with one part of it in memory. `guarded`: as in `EncodingListener`. */
export async function* encodeParts(
  result: PartedResult,
  format: ChosenFormat & { readonly name: PartedFormat },
  pause: Pause,
  guarded: (cells: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void> {
  const { columns, parts, rowCount, meta } = result;
  if (format.name === 'json') return yield* jsonParts(result);
  const encoder = await rowEncoder(columns, format, meta);
  for await (const rows of parts) {
    if (rows.byteLength > 0) yield* await encoder.rows({ kind: 'json', rows, ends: null }, pause);
  }
  yield* await encoder.end(completeRecord(rowCount, meta), pause);
  guarded(encoder.guardedCells);
}

async function* jsonParts({ parts, meta }: PartedResult): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from('{"result":[');
  let isFirst = true;
  for await (const rows of parts) {
    if (rows.byteLength === 0) continue;
    if (!isFirst) yield Buffer.from(',');
    isFirst = false;
    yield rows;
  }
  yield Buffer.from(`],"meta":${meta}}`);
}
