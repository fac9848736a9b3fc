import { ByteSink } from '../byteSink.ts';
import { writeText } from '../jsonText.ts';
import { endOfName, type NestedScan, nestedPiece, textPiece } from '../rowReader.ts';
import type { ArrowColumn } from './arrowColumn.ts';

const quote = 0x22;
const comma = 0x2c;
const letterN = 0x6e;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

const quoteByte = Uint8Array.of(quote);

/** A JSON string on its way into a column. */
export interface OpenText {
  piece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void;
  end(): void;
}

export function openText(column: ArrowColumn): OpenText {
  if (column.kind !== 'text') return new ScalarText(column);
  if (!column.isJson) return column;
  column.piece(quoteByte, 0, 1, false);
  return {
    piece: (bytes, from, to, hasEscapes) => column.piece(bytes, from, to, hasEscapes),
    end: () => {
      column.piece(quoteByte, 0, 1, false);
      column.end();
    },
  };
}

type OtherColumn = Exclude<ArrowColumn, { readonly kind: 'text' }>;

/** A text that stands for another value, such as a time. It is nearly always one piece without escapes. */
class ScalarText implements OpenText {
  readonly #column: OtherColumn;
  #bytes: Uint8Array = quoteByte;
  #from = 0;
  #to = 0;
  #collected: ByteSink | null = null;

  constructor(column: OtherColumn) {
    this.#column = column;
  }

  piece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    if (this.#collected === null && this.#to === this.#from && !hasEscapes) {
      this.#bytes = bytes;
      this.#from = from;
      this.#to = to;
      return;
    }
    if (this.#collected === null) {
      this.#collected = new ByteSink(64);
      this.#collected.append(this.#bytes, this.#from, this.#to);
    }
    writeText(this.#collected, bytes, from, to, hasEscapes, null);
  }

  end(): void {
    if (this.#collected === null) addScalar(this.#column, this.#bytes, this.#from, this.#to);
    else {
      const bytes = Buffer.from(this.#collected.toString());
      addScalar(this.#column, bytes, 0, bytes.length);
    }
  }
}

/** A number, `true` or `false`. */
export function addBare(column: ArrowColumn, bytes: Uint8Array, from: number, to: number): void {
  if (column.kind === 'text') {
    column.piece(bytes, from, to, false);
    column.end();
  } else addScalar(column, bytes, from, to);
}

function addScalar(column: OtherColumn, bytes: Uint8Array, from: number, to: number): void {
  if (column.kind === 'scalar') column.add(bytes, from, to);
  else column.addNull();
}

/**
 * Reads the JSON value at `at`, without white space between its tokens unless it is a JSON value, into the column. Yields the
 * bytes read since the last yield, and returns where the value ends.
 */
export function* readValue(column: ArrowColumn, bytes: Uint8Array, at: number): Generator<number, number> {
  const first = bytes[at];
  if (first === letterN) {
    column.addNull();
    return at + 4;
  }
  if (first === quote) return yield* readText(column, bytes, at + 1);
  if (first === openBracket && column.kind === 'list') {
    let end = at + 1;
    let yieldedAt = at;
    while (bytes[end] !== closeBracket) {
      if (end >= bytes.length) throw new Error('a list of a result does not end');
      end = yield* readValue(column.element, bytes, end);
      if (bytes[end] === comma) end += 1;
      if (end - yieldedAt < stepBytes) continue;
      yield end - yieldedAt;
      yieldedAt = end;
    }
    column.end();
    return end + 1;
  }
  if (first === openBrace && column.kind === 'struct') {
    let end = at + 1;
    for (const field of column.fields) {
      end = yield* readValue(field, bytes, endOfName(bytes, end));
      if (bytes[end] === comma) end += 1;
    }
    if (bytes[end] !== closeBrace) throw new Error('a struct of a result has other fields than its type');
    column.end();
    return end + 1;
  }
  if (first === openBracket || first === openBrace) return yield* readNested(column, bytes, at);
  let end = at;
  while (end < bytes.length && bytes[end] !== comma && bytes[end] !== closeBrace && bytes[end] !== closeBracket)
    end += 1;
  addBare(column, bytes, at, end);
  return end;
}

const stepBytes = 16 * 1024;

function* readText(column: ArrowColumn, bytes: Uint8Array, at: number): Generator<number, number> {
  const text = openText(column);
  for (let from = at; ; ) {
    const piece = textPiece(bytes, from);
    const end = piece < 0 ? ~piece : piece;
    text.piece(bytes, from, end, piece < 0);
    if (bytes[end] === quote) {
      text.end();
      return end + 1;
    }
    if (end >= bytes.length) throw new Error('a text of a result does not end');
    yield end - from;
    from = end;
  }
}

/** An object or array as JSON text; NULL in a column of another type. */
function* readNested(column: ArrowColumn, bytes: Uint8Array, at: number): Generator<number, number> {
  const scan: NestedScan = { at, depth: 0, isInText: false };
  for (;;) {
    const from = scan.at;
    nestedPiece(bytes, scan);
    if (column.kind === 'text') column.piece(bytes, from, scan.at, false);
    if (scan.depth === 0) break;
    if (scan.at >= bytes.length) throw new Error('a value of a result does not end');
    yield scan.at - from;
  }
  if (column.kind === 'text') column.end();
  else column.addNull();
  return scan.at;
}
