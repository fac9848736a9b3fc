import type { ByteSink } from './byteSink.ts';
import { writePlain, writeText } from './jsonText.ts';
import { replacements } from './replacements.ts';
import type { FormatColumn } from './resultFormat.ts';
import type { CellWriter } from './rowReader.ts';

const numbers: ReadonlySet<string> = new Set(['INT64', 'FLOAT64']);

/** Characters with a meaning in GitHub's Markdown: texts of events must not become links, images or HTML. */
const markup = '\\`*_[]<>|~&!#$';

const cellBegin = Buffer.from('| ');
const rowEnd = Buffer.from('|\n');
const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));

const escaped = replacements({
  ...Object.fromEntries(controls.map((control) => [control, ' '])),
  ...Object.fromEntries([...markup].map((character) => [character, `\\${character}`])),
  '\n': '<br>',
  '\r': '',
});

/** Writes a table of GitHub's Markdown. NULL is empty, a line end is `<br>`, and nested values are JSON texts. */
export class MarkdownWriter implements CellWriter {
  readonly #sink: ByteSink;

  constructor(columns: readonly FormatColumn[], sink: ByteSink) {
    this.#sink = sink;
    if (columns.length === 0) return;
    for (const { name } of columns) {
      sink.text('| ');
      writePlain(sink, name, escaped);
      sink.text(' ');
    }
    sink.text('|\n');
    for (const { type } of columns) sink.text(numbers.has(type.kind) ? '| ---: ' : '| --- ');
    sink.text('|\n');
  }

  beginRow(): void {}

  nullCell(): void {
    this.#sink.append(cellBegin);
  }

  bareCell(_column: number, bytes: Uint8Array, from: number, to: number): void {
    this.#begin();
    this.#sink.append(bytes, from, to);
    this.#end();
  }

  beginText(): void {
    this.#begin();
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    writeText(this.#sink, bytes, from, to, hasEscapes, escaped);
  }

  endText(): void {
    this.#end();
  }

  beginNested(): void {
    this.#begin();
  }

  nestedPiece(bytes: Uint8Array, from: number, to: number): void {
    writeText(this.#sink, bytes, from, to, false, escaped);
  }

  endNested(): undefined {
    this.#end();
  }

  endRow(): void {
    this.#sink.append(rowEnd);
  }

  #begin(): void {
    this.#sink.append(cellBegin);
  }

  #end(): void {
    this.#sink.push(0x20);
  }
}

/** Writes what the table has no place for, below it. */
export function markdownNote(lines: readonly string[], sink: ByteSink): void {
  for (const line of lines) {
    sink.push(0x0a);
    writePlain(sink, line, escaped);
    sink.push(0x0a);
  }
}
