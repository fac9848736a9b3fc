import type { ByteSink } from './byteSink.ts';
import { writeText } from './jsonText.ts';
import { replacements } from './replacements.ts';
import type { FormatColumn } from './resultFormat.ts';
import type { CellWriter } from './rowReader.ts';

const quote = 0x22;
const lineFeed = 0x0a;
const nullText = Buffer.from('null');
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Line ends between the tokens of a stored JSON value. In a JSON string they are escaped. */
const onOneLine = replacements({ '\n': ' ', '\r': ' ' });

/** The member that only the last record has. */
export const trailerMember = '@logmill';

/** Content of the last record of a complete result. `meta` is JSON. */
export function completeRecord(rowCount: number, meta: string): string {
  return `"status":"complete","rows":${rowCount},"meta":${meta}`;
}

/** The last record. `content`: its members as JSON, without braces. */
export function trailer(content: string): string {
  return `{"${trailerMember}":{${content}}}\n`;
}

/** The columns with names that the last record cannot have: a column of that name is `@logmill_1`, or the next free one. */
export function ndjsonColumns<C extends Pick<FormatColumn, 'name'>>(columns: readonly C[]): readonly C[] {
  const names = new Set(columns.map(({ name }) => name));
  if (!names.has(trailerMember)) return columns;
  let number = 1;
  while (names.has(`${trailerMember}_${number}`)) number += 1;
  return columns.map((column) =>
    column.name === trailerMember ? { ...column, name: `${trailerMember}_${number}` } : column,
  );
}

/** Writes one JSON object per line, with the names of `ndjsonColumns`. The caller appends the last record. */
export class NdjsonWriter implements CellWriter {
  readonly #sink: ByteSink;
  /** What stands before the value of each column. */
  readonly #names: readonly Uint8Array[];

  constructor(columns: readonly FormatColumn[], sink: ByteSink) {
    this.#sink = sink;
    this.#names = columns.map(({ name }, i) => Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`));
  }

  beginRow(): void {
    this.#sink.push(openBrace);
  }

  nullCell(column: number): void {
    this.#name(column);
    this.#sink.append(nullText);
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    this.#name(column);
    this.#sink.append(bytes, from, to);
  }

  beginText(column: number): void {
    this.#name(column);
    this.#sink.push(quote);
  }

  textPiece(bytes: Uint8Array, from: number, to: number): void {
    this.#sink.append(bytes, from, to);
  }

  endText(): void {
    this.#sink.push(quote);
  }

  beginNested(column: number): void {
    this.#name(column);
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    writeText(this.#sink, bytes, from, to, false, onOneLine);
  }

  endNested(): undefined {}

  endRow(): void {
    this.#sink.push(closeBrace);
    this.#sink.push(lineFeed);
  }

  #name(column: number): void {
    const name = this.#names[column];
    if (name === undefined) throw new Error(`a row has more than ${this.#names.length} columns`);
    this.#sink.append(name);
  }
}
