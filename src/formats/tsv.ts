import type { ByteSink } from './byteSink.ts';
import { guardedName, mayBeFormula } from './formulaGuard.ts';
import { writePlain, writeText } from './jsonText.ts';
import { replacements } from './replacements.ts';
import { type FormatColumn, hasTexts, type TextTableOptions } from './resultFormat.ts';
import type { CellWriter } from './rowReader.ts';

const tab = 0x09;
const lineFeed = 0x0a;
const apostrophe = 0x27;
const escaped = replacements({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' });
const nullCell = Buffer.from('\\N');

/**
 * Writes tab-separated values with a header line, escaped as PostgreSQL's COPY does: NULL is `\N`, and a tab, a line end or
 * a backslash in a text is `\t`, `\n`, `\r` or `\\`. Nested values are JSON texts.
 */
export class TsvWriter implements CellWriter {
  readonly #sink: ByteSink;
  /** Whether texts of the column are guarded. */
  readonly #isGuarded: readonly boolean[];
  #guardedCells = 0;

  constructor(columns: readonly FormatColumn[], { isGuarded, hasMark }: TextTableOptions, sink: ByteSink) {
    this.#sink = sink;
    this.#isGuarded = columns.map((column) => isGuarded && hasTexts(column));
    if (hasMark) sink.text('\ufeff');
    for (const [column, { name }] of columns.entries()) {
      this.#separate(column);
      const shown = isGuarded ? guardedName(name) : name;
      if (shown !== name) this.#guardedCells += 1;
      writePlain(sink, shown, escaped);
    }
    sink.push(lineFeed);
  }

  /** Like `CsvWriter.guardedCells`. */
  get guardedCells(): number {
    return this.#guardedCells;
  }

  beginRow(): void {}

  nullCell(column: number): void {
    this.#separate(column);
    this.#sink.append(nullCell);
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    this.#separate(column);
    this.#sink.append(bytes, from, to);
  }

  beginText(column: number, bytes: Uint8Array, at: number): void {
    this.#separate(column);
    if (this.#isGuarded[column] !== true || !mayBeFormula(bytes, at)) return;
    this.#sink.push(apostrophe);
    this.#guardedCells += 1;
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    writeText(this.#sink, bytes, from, to, hasEscapes, hasEscapes ? escaped : null);
  }

  endText(): void {}

  beginNested(column: number): void {
    this.#separate(column);
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    writeText(this.#sink, bytes, from, to, false, escaped);
  }

  endNested(): undefined {}

  endRow(): void {
    this.#sink.push(lineFeed);
  }

  #separate(column: number): void {
    if (column > 0) this.#sink.push(tab);
  }
}
