import { inTurns, type Pause } from '../core/concurrency/turns.ts';
import { columnLayout } from '../ports/columnFrame.ts';
import type { ColumnFrame, JsonFrame, LineFrame, RowForm } from '../ports/queryEngine.ts';
import { ByteSink } from './byteSink.ts';
import { CsvWriter } from './csv.ts';
import { NdjsonWriter, ndjsonColumns, trailer } from './ndjson.ts';
import type { ChosenFormat, FormatColumn } from './resultFormat.ts';
import { readRows } from './rowReader.ts';
import { TsvWriter } from './tsv.ts';

/** Rows of a result, as engines hand them over while they are computed (ports/queryEngine.ts). */
export type EncodedFrame =
  /** Already redacted, members in column order. The encoder may change the bytes. */
  Pick<JsonFrame, 'kind' | 'rows' | 'ends'> | Pick<LineFrame, 'kind' | 'rows'> | ColumnFrame;

/** Writes a result whose rows come frame by frame. Each method returns the bytes to send next, and works in turns. */
export interface RowEncoder {
  rows(frame: EncodedFrame, pause: Pause): Promise<readonly Uint8Array[]>;
  /** The end of a complete result. `record`: content of the last record, for formats that have one. */
  end(record: string, pause: Pause): Promise<readonly Uint8Array[]>;
  /** The end of a result that failed; null if the format cannot tell, so that only a broken connection can. */
  failed(record: string): readonly Uint8Array[] | null;
  /** Cells so far that got `'` before their text; without those of lines, which the engine wrote. */
  readonly guardedCells: number;
}

/** `meta`: JSON for formats that have a place for it at the beginning. */
export async function rowEncoder(
  columns: readonly FormatColumn[],
  format: ChosenFormat,
  meta: string,
): Promise<RowEncoder> {
  const sink = new ByteSink(firstBytes);
  switch (format.name) {
    case 'ndjson':
      return new NdjsonEncoder(columns, sink);
    case 'csv':
      return new TableEncoder(new CsvWriter(columns, format, sink), sink);
    case 'tsv':
      return new TableEncoder(new TsvWriter(columns, format, sink), sink);
    case 'arrow':
      return await arrowEncoder(columns, meta, sink);
    default:
      throw new Error(`results in ${format.name} are written as a whole`);
  }
}

/** The form in which an engine can hand over rows for the format, so that nobody reads them again; undefined if it has none. */
export function rowForm({ name, isGuarded }: ChosenFormat, columns: readonly FormatColumn[]): RowForm | undefined {
  if (name === 'csv' || name === 'tsv') return { kind: name, isGuarded };
  const hasLayouts = columns.length > 0 && columns.every(({ type }) => columnLayout(type) !== null);
  return name === 'arrow' && hasLayouts ? { kind: 'columns' } : undefined;
}

const firstBytes = 256 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

class TableEncoder implements RowEncoder {
  readonly #writer: CsvWriter | TsvWriter;
  readonly #sink: ByteSink;

  constructor(writer: CsvWriter | TsvWriter, sink: ByteSink) {
    this.#writer = writer;
    this.#sink = sink;
  }

  async rows(frame: EncodedFrame, pause: Pause): Promise<readonly Uint8Array[]> {
    // The sink has the header line, if these are the first rows.
    if (frame.kind === 'lines') return [...this.#sink.take(), frame.rows, finalLineEnd];
    await inTurns(readRows(requireJson(frame).rows, this.#writer), pause);
    return this.#sink.take();
  }

  /** Without rows, this is the header line. */
  async end(): Promise<readonly Uint8Array[]> {
    return this.#sink.take();
  }

  failed(): null {
    return null;
  }

  get guardedCells(): number {
    return this.#writer.guardedCells;
  }
}

class NdjsonEncoder implements RowEncoder {
  readonly guardedCells = 0;
  readonly #sink: ByteSink;
  readonly #writer: NdjsonWriter;
  /** Whether rows have the names of their columns already. */
  readonly #hasNames: boolean;

  constructor(columns: readonly FormatColumn[], sink: ByteSink) {
    const named = ndjsonColumns(columns);
    this.#hasNames = named === columns;
    this.#sink = sink;
    this.#writer = new NdjsonWriter(named, sink);
  }

  async rows(frame: EncodedFrame, pause: Pause): Promise<readonly Uint8Array[]> {
    const { rows, ends } = requireJson(frame);
    if (this.#hasNames && ends !== null && !rows.includes(lineFeed) && !rows.includes(carriageReturn)) {
      endLines(rows, ends);
      return [rows, finalLineEnd];
    }
    await inTurns(readRows(rows, this.#writer), pause);
    return this.#sink.take();
  }

  async end(record: string): Promise<readonly Uint8Array[]> {
    return [Buffer.from(trailer(record))];
  }

  failed(record: string): readonly Uint8Array[] {
    return [Buffer.from(trailer(record))];
  }
}

/** @throws Error for rows that only another format has */
function requireJson(frame: EncodedFrame) {
  if (frame.kind === 'json') return frame;
  throw new Error('rows of another format were handed over');
}

const finalLineEnd = Uint8Array.of(lineFeed);

/**
 * Puts a line end in place of each comma between rows. In place, because memory outside of the JavaScript heap makes the
 * collector run often, whose time was half of that of a stream.
 */
function endLines(rows: Uint8Array, ends: Uint8Array): void {
  const view = new DataView(ends.buffer, ends.byteOffset, ends.byteLength);
  for (let at = 0; at < ends.byteLength - 4; at += 4) rows[view.getUint32(at, true)] = lineFeed;
}

/** Rows are collected until a batch is worth its own description; the first are written at once. */
const batchBytesMin = 128 * 1024;

async function arrowEncoder(columns: readonly FormatColumn[], meta: string, sink: ByteSink): Promise<RowEncoder> {
  // Loaded when first needed, because it is the largest of the libraries.
  const { ArrowWriter } = await import('./arrow/arrowWriter.ts');
  const writer = new ArrowWriter(columns, new Map([['logmill', meta]]));
  let isFirst = true;
  return {
    guardedCells: 0,
    async rows(frame, pause) {
      if (frame.kind === 'columns') writer.addColumns(frame);
      else await inTurns(readRows(requireJson(frame).rows, writer), pause);
      if (!isFirst && writer.byteLength < batchBytesMin) return [];
      isFirst = false;
      await writer.flush(sink, pause);
      return sink.take();
    },
    async end(_record, pause) {
      await writer.write(sink, pause);
      return sink.take();
    },
    failed: () => null,
  };
}
