import type { ByteSink } from './byteSink.ts';
import { guardedName, mayBeFormula } from './formulaGuard.ts';
import { writePlain, writeText } from './jsonText.ts';
import { replacements } from './replacements.ts';
import { type FormatColumn, hasTexts, type TextTableOptions } from './resultFormat.ts';
import type { CellWriter } from './rowReader.ts';

const quote = 0x22;
const comma = 0x2c;
const apostrophe = 0x27;
const doubled = replacements({ '"': '""' });
const lineEnd = Buffer.from('\r\n');

/**
 * Writes CSV (RFC 4180) with a header line. NULL is empty. Texts are always quoted, so an empty text differs from NULL, and
 * `"5"` from `5`. Nested values are JSON texts.
 */
export class CsvWriter implements CellWriter {
  readonly #sink: ByteSink;
  readonly #options: TextTableOptions;
  readonly #isText: readonly boolean[];
  #isQuoted = false;
  #guardedCells = 0;

  constructor(columns: readonly FormatColumn[], options: TextTableOptions, sink: ByteSink) {
    this.#sink = sink;
    this.#options = options;
    this.#isText = columns.map(hasTexts);
    if (options.hasMark) sink.text('\ufeff');
    for (const [column, { name }] of columns.entries()) {
      this.#separate(column);
      sink.push(quote);
      const shown = options.isGuarded ? guardedName(name) : name;
      if (shown !== name) this.#guardedCells += 1;
      writePlain(sink, shown, doubled);
      sink.push(quote);
    }
    sink.append(lineEnd);
  }

  /** Cells, and names of columns, that have `'` before their text. */
  get guardedCells(): number {
    return this.#guardedCells;
  }

  beginRow(): void {}

  nullCell(column: number): void {
    this.#separate(column);
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    this.#separate(column);
    this.#sink.append(bytes, from, to);
  }

  beginText(column: number, bytes: Uint8Array, at: number): void {
    this.#separate(column);
    const isText = this.#isText[column] === true;
    this.#isQuoted = isText || !isSafe(bytes, at);
    if (this.#isQuoted) this.#sink.push(quote);
    if (isText && this.#options.isGuarded && mayBeFormula(bytes, at)) {
      this.#sink.push(apostrophe);
      this.#guardedCells += 1;
    }
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    // Without escapes there is no quote in a JSON string.
    writeText(this.#sink, bytes, from, to, hasEscapes, hasEscapes ? doubled : null);
  }

  endText(): void {
    if (this.#isQuoted) this.#sink.push(quote);
  }

  beginNested(column: number): void {
    this.#separate(column);
    this.#sink.push(quote);
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    writeText(this.#sink, bytes, from, to, false, doubled);
  }

  endNested(): undefined {
    this.#sink.push(quote);
  }

  endRow(): void {
    this.#sink.append(lineEnd);
  }

  #separate(column: number): void {
    if (column > 0) this.#sink.push(comma);
  }
}

/** The longest time or interval is much shorter. */
const safeBytesMax = 64;

/** Whether the JSON string needs no quotes. Redaction may have put a mark in place of a time. */
function isSafe(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + safeBytesMax; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === quote) return i > at;
    const isPlain = (byte >= 0x30 && byte <= 0x3a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (!isPlain && byte !== 0x2b && byte !== 0x2d && byte !== 0x2e && byte !== 0x20) return false;
  }
  return false;
}
