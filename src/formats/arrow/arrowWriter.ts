import { type Data, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow';
import type { Pause } from '../../core/concurrency/turns.ts';
import { type ColumnLayout, columnLayout, readColumns } from '../../ports/columnFrame.ts';
import type { ColumnFrame } from '../../ports/queryEngine.ts';
import type { ByteSink } from '../byteSink.ts';
import type { FormatColumn } from '../resultFormat.ts';
import type { CellWriter } from '../rowReader.ts';
import {
  type ArrowColumn,
  arrowColumn,
  arrowField,
  type Packing,
  packedColumn,
  type TextColumn,
} from './arrowColumn.ts';
import { addBare, type OpenText, openText, readValue } from './readValue.ts';

/** Rows of more bytes begin a new batch, so that writing one takes a few milliseconds. */
const batchBytes = 1024 * 1024;

interface Batch {
  readonly length: number;
  readonly columns: readonly Packing[];
}

interface Nested {
  readonly bytes: Uint8Array;
  readonly from: number;
}

function* readNested(column: ArrowColumn, { bytes, from }: Nested): Generator<number, void> {
  yield* readValue(column, bytes, from);
}

/** Collects rows for an Arrow IPC stream in which each column has its own type. */
export class ArrowWriter implements CellWriter {
  readonly #columns: readonly ArrowColumn[];
  readonly #layouts: readonly (ColumnLayout | null)[];
  readonly #schema: Schema;
  readonly #batches: Batch[] = [];
  #text: OpenText | null = null;
  /** Where the nested value begins that is read when it has ended. */
  #nested: Nested | null = null;
  /** The column that takes the nested value as JSON text. */
  #json: TextColumn | null = null;
  #rows = 0;
  #output: { readonly writer: RecordBatchStreamWriter; readonly written: Promise<void> } | null = null;
  #endedBytes = 0;

  /** `metadata`: members of the schema's metadata. */
  constructor(columns: readonly FormatColumn[], metadata: ReadonlyMap<string, string>) {
    this.#columns = columns.map(({ type }) => arrowColumn(type));
    this.#layouts = columns.map(({ type }) => columnLayout(type));
    this.#schema = new Schema(
      this.#columns.map((column, i) => arrowField(columns[i]?.name ?? '', column)),
      new Map(metadata),
    );
  }

  /** Estimate of the bytes of all rows that were not written yet. */
  get byteLength(): number {
    return this.#endedBytes + this.collectedBytes;
  }

  beginRow(): void {}

  nullCell(column: number): void {
    this.#column(column).addNull();
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    addBare(this.#column(column), bytes, from, to);
  }

  beginText(column: number): void {
    this.#text = openText(this.#column(column));
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    this.#text?.piece(bytes, from, to, hasEscapes);
  }

  endText(): void {
    this.#text?.end();
    this.#text = null;
  }

  beginNested(column: number): void {
    const target = this.#column(column);
    this.#nested = null;
    this.#json = target.kind === 'text' ? target : null;
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    if (this.#json === null) this.#nested ??= { bytes, from };
    else this.#json.piece(bytes, from, to, false);
  }

  endNested(column: number): Generator<number, void> | undefined {
    if (this.#json !== null) this.#json.end();
    else if (this.#nested !== null) return readNested(this.#column(column), this.#nested);
    return undefined;
  }

  endRow(): void {
    this.#rows += 1;
    if (this.collectedBytes >= batchBytes) this.#endBatch();
  }

  /** Adds rows as a batch of their own, whose values are not read. The bytes must stay as they are until it is written. */
  addColumns({ rows, rowCount }: Pick<ColumnFrame, 'rows' | 'rowCount'>): void {
    const layouts = this.#layouts.filter((layout) => layout !== null);
    if (layouts.length < this.#layouts.length) throw new Error('columns of types without a layout were handed over');
    const parts = readColumns(rows, rowCount, layouts);
    if (this.#rows > 0) this.#endBatch();
    const columns = parts.map((part, i) => packedColumn(this.#column(i).type, rowCount, part));
    this.#batches.push({ length: rowCount, columns });
    this.#endedBytes += rows.length;
  }

  /** Writes the stream in turns; ends the collection. */
  async write(sink: ByteSink, pause: Pause): Promise<void> {
    const { writer, written } = await this.#writeBatches(sink, pause);
    writer.finish();
    await written;
  }

  /** Writes the rows collected so far, in turns, after the schema if they are the first. The sink is always the same. */
  async flush(sink: ByteSink, pause: Pause): Promise<void> {
    await this.#writeBatches(sink, pause);
    // The library hands over what it has written before the next turn.
    await pause.take();
  }

  /** Estimate of the bytes of the batch that has not ended. */
  get collectedBytes(): number {
    let bytes = 0;
    for (const column of this.#columns) bytes += column.byteLength;
    return bytes;
  }

  async #writeBatches(sink: ByteSink, pause: Pause) {
    if (this.#rows > 0 || (this.#batches.length === 0 && this.#output === null)) this.#endBatch();
    this.#output ??= openOutput(sink);
    const { writer } = this.#output;
    for (const { length, columns } of this.#batches.splice(0)) {
      const children: Data[] = [];
      for (const column of columns) children.push(await column(pause));
      const data = makeData({ type: new Struct(this.#schema.fields), length, nullCount: 0, children });
      writer.write(new RecordBatch(this.#schema, data));
      await pause.takeIfOver();
    }
    this.#endedBytes = 0;
    return this.#output;
  }

  #endBatch(): void {
    this.#endedBytes += this.collectedBytes;
    this.#batches.push({ length: this.#rows, columns: this.#columns.map((column) => column.take()) });
    this.#rows = 0;
  }

  #column(column: number): ArrowColumn {
    const target = this.#columns[column];
    if (target === undefined) throw new Error(`a row has more than ${this.#columns.length} columns`);
    return target;
  }
}

/** Fewer bytes are copied, because a part of their own costs more. */
const adoptedBytesMin = 16 * 1024;

/** Hands what the library writes to the sink as soon as it is written. */
function openOutput(sink: ByteSink) {
  const writer = new RecordBatchStreamWriter();
  const handOver = async () => {
    for await (const chunk of writer) {
      if (chunk.length < adoptedBytesMin) sink.append(chunk);
      else sink.adopt(chunk);
    }
  };
  return { writer, written: handOver() };
}
