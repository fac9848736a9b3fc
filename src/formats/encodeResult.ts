import { readFile, stat } from 'node:fs/promises';
import { assertNever } from '../core/assertNever.ts';
import { inTurns, type Pause } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { ParquetCall, ParquetWriter } from '../ports/parquetWriter.ts';
import { ByteSink } from './byteSink.ts';
import { CsvWriter } from './csv.ts';
import { MarkdownWriter, markdownNote } from './markdown.ts';
import { completeRecord, NdjsonWriter, ndjsonColumns, trailer } from './ndjson.ts';
import { PrometheusWriter, prometheusColumns } from './prometheus.ts';
import type { ChosenFormat, FormatColumn } from './resultFormat.ts';
import { readRows } from './rowReader.ts';
import { TsvWriter } from './tsv.ts';

/** A result to encode. */
export interface EncodedResult {
  readonly endpointName: string;
  readonly columns: readonly FormatColumn[];
  /** JSON objects separated by commas, members in column order; already redacted. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  readonly asOfMicros: number;
  /** `meta` as JSON, with the column names of this format. */
  readonly meta: string;
  /** What a reader must know about the rows, one sentence per line. */
  readonly remarks: readonly string[];
}

/** The columns under the names that the format gives them. */
export function formatColumns<C extends Pick<FormatColumn, 'name'>>(
  { name }: Pick<ChosenFormat, 'name'>,
  columns: readonly C[],
): readonly C[] {
  return name === 'ndjson' ? ndjsonColumns(columns) : columns;
}

/**
 * Throws `format.unsuitable` if the format cannot show these columns, and `format.unsupported` if there is no writer for it,
 * before the query runs.
 */
export function requireFormat(
  { name }: ChosenFormat,
  endpointName: string,
  columns: readonly FormatColumn[],
  parquet?: ParquetWriter,
): void {
  if (name === 'prometheus') prometheusColumns(endpointName, columns);
  if (name === 'parquet') requireParquet(parquet);
}

function requireParquet<W>(parquet: W | undefined): W {
  if (parquet !== undefined) return parquet;
  throw new ServiceError(
    'format.unsupported',
    'The engine of this service does not write Parquet. Use another format, such as arrow.',
    { errors: [{ parameter: 'format', value: 'parquet' }] },
  );
}

/** Who writes Parquet, and for whom. */
export interface ParquetUse extends Omit<ParquetCall, 'pause'> {
  readonly writer: ParquetWriter;
}

/** Who is told of an encoding. */
export interface EncodingListener {
  /** Told the bytes collected so far in each step; what it throws ends the encoding. */
  hold?(bytes: number): void;
  /** Told how many cells got `'` before their text, if the format guards texts (`TextTableOptions.isGuarded`). */
  guarded?(cells: number): void;
}

/** Encodes a result in turns. The format must not be `json`, in which rows are encoded already. */
export async function encodeResult(
  result: EncodedResult,
  format: ChosenFormat,
  pause: Pause,
  listener: EncodingListener = {},
  parquet?: ParquetUse,
): Promise<Buffer> {
  const hold = (bytes: number): void => listener.hold?.(bytes);
  if (format.name === 'parquet') {
    const { writer, ...call } = requireParquet(parquet);
    const metadata = () => new Map([['logmill', result.meta]]);
    const table = { columns: result.columns, parts: [result.rows], metadata };
    return writer.write(table, { ...call, pause }, async (path) => {
      hold((await stat(path)).size);
      return readFile(path);
    });
  }
  const sink = new ByteSink();
  const run = (work: Generator<number, void>, size: () => number): Promise<void> =>
    inTurns(
      counted(work, () => hold(size())),
      pause,
    );
  if (format.name === 'arrow') {
    // Loaded when first needed, because it is the largest of the libraries.
    const { ArrowWriter } = await import('./arrow/arrowWriter.ts');
    const writer = new ArrowWriter(result.columns, new Map([['logmill', result.meta]]));
    await run(readRows(result.rows, writer), () => writer.byteLength);
    await writer.write(sink, pause);
  } else if (format.name === 'prometheus') {
    const writer = new PrometheusWriter(result.endpointName, result.columns);
    await run(readRows(result.rows, writer), () => writer.byteLength);
    for (const remark of result.remarks) sink.text(`# ${remark.replaceAll(/[\r\n]+/g, ' ')}\n`);
    const size = () => writer.byteLength + sink.length;
    await run(writer.write(result.columns, result.asOfMicros, sink), size);
  } else await run(written(result, format, sink, listener), () => sink.length);
  return sink.whole(pause);
}

function* counted(work: Generator<number, void>, count: () => void): Generator<number, void> {
  for (const each of work) {
    count();
    yield each;
  }
  count();
}

/** Writes a format whose rows can be written as they are read. */
function* written(
  result: EncodedResult,
  format: ChosenFormat,
  sink: ByteSink,
  { guarded }: EncodingListener,
): Generator<number, void> {
  const { columns, rows } = result;
  switch (format.name) {
    case 'json':
    case 'arrow':
    case 'parquet':
    case 'prometheus':
      throw new Error(`rows in ${format.name} are not written here`);
    case 'ndjson': {
      yield* readRows(rows, new NdjsonWriter(columns, sink));
      const { rowCount, meta } = result;
      sink.text(trailer(completeRecord(rowCount, meta)));
      return;
    }
    case 'csv':
    case 'tsv': {
      const writer =
        format.name === 'csv' ? new CsvWriter(columns, format, sink) : new TsvWriter(columns, format, sink);
      yield* readRows(rows, writer);
      guarded?.(writer.guardedCells);
      return;
    }
    case 'markdown':
      yield* readRows(rows, new MarkdownWriter(columns, sink));
      markdownNote(result.remarks, sink);
      return;
    default:
      return assertNever(format.name);
  }
}
