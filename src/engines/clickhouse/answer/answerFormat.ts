import { isUtf8 } from 'node:buffer';
import type { Pause } from '../../../core/concurrency/turns.ts';
import { RowBytes } from '../../duckdb/process/read/rowBytes.ts';
import type { EncodedRows, RowsBounds } from '../../duckdb/query/statementRunner.ts';
import { ClickHouseFailure } from '../connection/failure.ts';
import type { AnswerFormat } from '../connection/select.ts';
import type { DirectAnswer } from './directAnswer.ts';
import { JsonBytes } from './jsonBytes.ts';
import { type BinaryRow, integerAt, RowBinaryReader, rowBytesMax, UnreadableAnswer } from './rowBinary.ts';

/** The rows of an answer, and what its other columns say. */
export interface ReadAnswer {
  readonly rows: EncodedRows;
  /** The highest number of a check that failed; 0 if none did. */
  readonly check: number;
  /** The events that the rows stand for. */
  readonly events: number;
}

/** Bounds of the rows, and of the bytes of the whole answer as it comes from ClickHouse. */
export interface AnswerBounds extends RowsBounds {
  readonly answerBytesMax: number;
}

/**
 * The format in which a direct answer is read. The event loop goes on between its chunks. The result is null for an answer
 * that only DuckDB reads, or refuses.
 */
export function answerFormat(
  answer: DirectAnswer,
  bounds: AnswerBounds,
  pause: Pause,
): AnswerFormat<ReadAnswer | null> {
  return {
    name: 'RowBinaryWithNamesAndTypes',
    read: async (body, summary) => {
      const rows = new AnswerRows(answer, bounds);
      let bytes = 0;
      try {
        for await (const chunk of body) {
          bytes += chunk.length;
          if (bytes > bounds.answerBytesMax)
            throw new ClickHouseFailure('bound', `an answer has more than ${bounds.answerBytesMax} bytes`);
          rows.add(chunk);
          while (rows.takeOne()) {
            if (pause.isDue(rows.lastBytes)) await pause.take();
            if (rows.isFilling) await rows.growInTurns(pause);
          }
        }
      } catch (error) {
        if (error instanceof UnreadableAnswer) return null;
        throw error;
      }
      return rows.finish(summary.rows);
    },
  };
}

class AnswerRows {
  readonly #answer: DirectAnswer;
  readonly #reader: RowBinaryReader;
  readonly #rows: RowBytes;
  readonly #row = new Span();
  readonly #keys = new Span();
  readonly #checkAt: number | null;
  readonly #eventsAt: number | null;
  #count = 0;
  #check = 0;
  #events = 0;

  constructor(answer: DirectAnswer, { rowsMax, bytesMax, hasRowKeys = false }: AnswerBounds) {
    const { columns, checks, countsEvents } = answer.fetch;
    const names = columns.map(({ name }) => name);
    this.#checkAt = checks.length > 0 ? names.push('out_check') - 1 : null;
    this.#eventsAt = countsEvents ? names.push('out_events') - 1 : null;
    this.#answer = answer;
    this.#reader = new RowBinaryReader(names);
    this.#rows = new RowBytes(rowsMax, bytesMax, { hasRowKeys });
  }

  /** Bytes of the row that was taken last, in the answer. */
  get lastBytes(): number {
    return this.#row.to;
  }

  /** Whether the next row may have no room. */
  get isFilling(): boolean {
    return this.#rows.isFilling(rowBytesMax + 1);
  }

  async growInTurns(pause: Pause): Promise<void> {
    await this.#rows.growInTurns(pause);
  }

  add(chunk: Buffer): void {
    this.#reader.add(chunk);
  }

  /** Takes the next row. Returns whether its bytes had come. */
  takeOne(): boolean {
    if (!this.#reader.next()) return false;
    const row = this.#reader;
    this.#count += 1;
    if (this.#checkAt !== null) this.#check = Math.max(this.#check, numberIn(row, this.#checkAt));
    if (this.#eventsAt !== null) this.#events += numberIn(row, this.#eventsAt);
    // Rows after the last one that is wanted are only checked.
    if (this.#rows.isOpen) this.#write(row);
    return true;
  }

  #write(row: BinaryRow): void {
    const { writeRow, writeKeys } = this.#answer;
    this.#row.write(row, writeRow);
    if (!this.#rows.add(this.#row, 0) || writeKeys === null) return;
    this.#keys.write(row, writeKeys);
    this.#rows.setKey(this.#keys, 0);
  }

  /** `announced`: the rows that ClickHouse says it returned. @throws ClickHouseFailure unless exactly these came */
  finish(announced: number): ReadAnswer {
    if (!this.#reader.isAtEnd || this.#count !== announced)
      throw new ClickHouseFailure('damaged', `an answer does not have the ${announced} rows that were announced`);
    const { bytes, facts } = this.#rows.finish();
    const { pageKeys, ...others } = facts;
    return {
      rows: { rows: bytes, ...others, ...(pageKeys === null ? {} : { pageKeys }) },
      check: this.#check,
      events: this.#eventsAt === null ? this.#count : this.#events,
    };
  }
}

function numberIn({ bytes, starts, kinds }: BinaryRow, column: number): number {
  const at = starts[column] ?? -1;
  if (at < 0 || kinds[column] !== 'Int64') throw new UnreadableAnswer('a number of a row is missing');
  return Number(integerAt(bytes, at));
}

/** Text that is written anew for each row, as `RowBytes` takes it. */
class Span {
  readonly from = 0;
  readonly #json = new JsonBytes();

  get bytes(): Uint8Array {
    return this.#json.bytes;
  }

  get to(): number {
    return this.#json.length;
  }

  write(row: BinaryRow, write: DirectAnswer['writeRow']): void {
    this.#json.clear();
    write(row, this.#json);
    // Texts are copied as they come, and all else is ASCII.
    if (!isUtf8(this.#json.bytes.subarray(0, this.#json.length))) throw new UnreadableAnswer('a text is not UTF-8');
  }

  read(): boolean {
    return true;
  }
}
