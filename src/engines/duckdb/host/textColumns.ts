import type { Pause } from '../../../core/concurrency/turns.ts';
import { ByteSink } from '../../../formats/byteSink.ts';
import { writeText } from '../../../formats/jsonText.ts';
import type { CellWriter } from '../../../formats/rowReader.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { absent } from '../process/write/columnarBatch.ts';
import { isTakenApart } from './parquetColumns.ts';

/** Rows of more bytes begin a new batch. */
const batchBytes = 1024 * 1024;
const quote = Uint8Array.of(0x22);

interface Column {
  /** Whether a JSON string is written with its quotes and escapes. */
  readonly isJson: boolean;
  /** Whether only lists and objects fit, so that everything else is NULL. */
  readonly isNested: boolean;
  lengths: ByteSink;
  bytes: ByteSink;
  /** Bytes of the values before the current one. */
  before: number;
}

interface Batch {
  readonly rowCount: number;
  readonly columns: readonly Pick<Column, 'lengths' | 'bytes'>[];
}

/** Collects rows as columns of texts, in batches in the layout of process/write/columnarBatch.ts. */
export class TextColumns implements CellWriter {
  readonly #columns: readonly Column[];
  readonly #scratch = Buffer.alloc(4);
  #batches: Batch[] = [];
  #batchedBytes = 0;
  #rows = 0;
  /** The column whose text, list or object is being read. */
  #current: Column | null = null;

  constructor(types: readonly SqlType[]) {
    this.#columns = types.map((type) => ({
      isJson: type.kind === 'JSON' || type.kind === 'STRUCT' || type.kind === 'ARRAY',
      isNested: isTakenApart(type),
      ...emptyColumn(),
    }));
  }

  /** Bytes of the batches that are complete. */
  get batchedBytes(): number {
    return this.#batchedBytes;
  }

  beginRow(): void {}

  nullCell(column: number): void {
    this.#end(this.#column(column), false);
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    const target = this.#column(column);
    if (!target.isNested) target.bytes.append(bytes, from, to);
    this.#end(target, !target.isNested);
  }

  beginText(column: number): void {
    this.#current = this.#column(column);
    if (this.#current.isJson && !this.#current.isNested) this.#current.bytes.append(quote);
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    const target = this.#current;
    if (target === null || target.isNested) return;
    writeText(target.bytes, bytes, from, to, hasEscapes && !target.isJson, null);
  }

  endText(column: number): void {
    const target = this.#column(column);
    if (target.isJson && !target.isNested) target.bytes.append(quote);
    this.#end(target, !target.isNested);
    this.#current = null;
  }

  beginNested(column: number): void {
    this.#current = this.#column(column);
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    this.#current?.bytes.append(bytes, from, to);
  }

  endNested(column: number): undefined {
    this.#end(this.#column(column), true);
    this.#current = null;
  }

  endRow(): void {
    this.#rows += 1;
    const bytes = this.#columns.reduce((sum, column) => sum + column.bytes.length + column.lengths.length, 0);
    if (bytes >= batchBytes) this.#endBatch(bytes);
  }

  /** The complete batches, with the last one if `isLast`: the bytes of each, and all of them in order. */
  async take(
    isLast: boolean,
    pause: Pause,
  ): Promise<{ readonly batches: readonly number[]; readonly payload: readonly Buffer[] }> {
    if (isLast && this.#rows > 0) this.#endBatch(0);
    const [taken, batches, payload]: [Batch[], number[], Buffer[]] = [this.#batches, [], []];
    this.#batches = [];
    this.#batchedBytes = 0;
    for (const { rowCount, columns } of taken) {
      const count = Buffer.alloc(4);
      count.writeUInt32LE(rowCount);
      const parts: Buffer[] = [count];
      for (const { lengths, bytes } of columns) parts.push(await lengths.whole(pause), await bytes.whole(pause));
      batches.push(parts.reduce((sum, { length }) => sum + length, 0));
      payload.push(...parts);
    }
    return { batches, payload };
  }

  #endBatch(bytes: number): void {
    this.#batches.push({
      rowCount: this.#rows,
      columns: this.#columns.map(({ lengths, bytes: all }) => ({ lengths, bytes: all })),
    });
    this.#batchedBytes += bytes;
    this.#rows = 0;
    for (const column of this.#columns) Object.assign(column, emptyColumn());
  }

  #end(column: Column, isPresent: boolean): void {
    this.#scratch.writeInt32LE(isPresent ? column.bytes.length - column.before : absent);
    column.lengths.append(this.#scratch);
    column.before = column.bytes.length;
  }

  #column(column: number): Column {
    const target = this.#columns[column];
    if (target === undefined) throw new Error(`a row has more than ${this.#columns.length} columns`);
    return target;
  }
}

function emptyColumn(): Pick<Column, 'lengths' | 'bytes' | 'before'> {
  return { lengths: new ByteSink(256), bytes: new ByteSink(256), before: 0 };
}
