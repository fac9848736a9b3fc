/**
 * Receives the cells of rows as spans of their JSON bytes. Long texts and nested values arrive in pieces, which never
 * divide an escape sequence or the escapes of a surrogate pair.
 */
export interface CellWriter {
  beginRow(): void;
  /** JSON `null`. */
  nullCell(column: number): void;
  /** A number, `true` or `false`, as written. */
  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void;
  /** A JSON string, whose content begins at `at` and may be empty. */
  beginText(column: number, bytes: Uint8Array, at: number): void;
  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void;
  endText(column: number): void;
  /** An object or array. Its pieces are JSON as written. */
  beginNested(column: number): void;
  nestedPiece(bytes: Uint8Array, from: number, to: number): void;
  /** May go on with the value, in steps that yield the bytes read. */
  endNested(column: number): Generator<number, void> | undefined;
  endRow(): void;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const letterN = 0x6e;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Handling a piece takes well below a millisecond. */
const pieceBytes = 16 * 1024;

/** Where the reading of rows stands. */
interface Cursor {
  at: number;
  /** The next cell; 0 also between rows. */
  column: number;
  isInRow: boolean;
  /** A value of which a piece was read, and that goes on. */
  open: 'text' | NestedScan | null;
  /** What a writer has still to do with the value that was read last. */
  rest: Generator<number, void> | undefined;
}

/**
 * Reads rows (JSON objects separated by commas, members in column order) without parsing their values, so no digit of a
 * number is lost. Yields the bytes read since the last yield, about every `pieceBytes`.
 */
export function* readRows(rows: Uint8Array, writer: CellWriter): Generator<number, void> {
  const cursor: Cursor = { at: 0, column: 0, isInRow: false, open: null, rest: undefined };
  /** Bytes of the name of each column, with its quotes and colon: they are the same in all rows. */
  const widths: number[] = [];
  while (cursor.at < rows.length) {
    const from = cursor.at;
    readAhead(rows, cursor, writer, widths);
    if (cursor.rest !== undefined) yield* cursor.rest;
    cursor.rest = undefined;
    yield cursor.at - from;
  }
}

/** Reads about `pieceBytes`: less if a writer has more to do, or a value goes on. No generator, because that takes twice as long. */
function readAhead(rows: Uint8Array, cursor: Cursor, writer: CellWriter, widths: number[]): void {
  const stopAt = cursor.at + pieceBytes;
  if (cursor.open !== null) readOn(rows, cursor, writer);
  while (cursor.open === null && cursor.rest === undefined && cursor.at < Math.min(stopAt, rows.length)) {
    if (!cursor.isInRow) {
      // The brace of the row.
      cursor.at = expect(rows, cursor.at, openBrace);
      cursor.isInRow = true;
      cursor.column = 0;
      writer.beginRow();
    }
    if (rows[cursor.at] === closeBrace) {
      cursor.at += 1;
      cursor.isInRow = false;
      writer.endRow();
      if (cursor.at < rows.length) cursor.at = expect(rows, cursor.at, comma);
    } else readCell(rows, cursor, writer, widths);
  }
}

function readCell(rows: Uint8Array, cursor: Cursor, writer: CellWriter, widths: number[]): void {
  const { column } = cursor;
  let at = column > 0 ? expect(rows, cursor.at, comma) : cursor.at;
  const width = widths[column];
  if (width !== undefined && isNameOf(rows, at, width)) at += width;
  else {
    const end = endOfName(rows, at);
    widths[column] = end - at;
    at = end;
  }
  const first = rows[at];
  if (first === quote) {
    writer.beginText(column, rows, at + 1);
    cursor.at = at + 1;
    cursor.open = 'text';
    readOn(rows, cursor, writer);
  } else if (first === openBrace || first === openBracket) {
    writer.beginNested(column);
    cursor.at = at;
    cursor.open = { at, depth: 0, isInText: false };
    readOn(rows, cursor, writer);
  } else if (first === letterN) {
    writer.nullCell(column);
    cursor.at = at + 4;
    cursor.column = column + 1;
  } else {
    const from = at;
    while (at < rows.length && rows[at] !== comma && rows[at] !== closeBrace) at += 1;
    writer.bareCell(column, rows, from, at);
    cursor.at = at;
    cursor.column = column + 1;
  }
}

/** Reads the next piece of a value that goes on. */
function readOn(rows: Uint8Array, cursor: Cursor, writer: CellWriter): void {
  const { at: from, open, column } = cursor;
  if (open === null) return;
  if (open === 'text') {
    const piece = textPiece(rows, from);
    const end = piece < 0 ? ~piece : piece;
    if (end > from) writer.textPiece(rows, from, end, piece < 0);
    cursor.at = end;
    if (rows[end] !== quote) {
      if (end >= rows.length) throw malformed(end);
      return;
    }
    cursor.at = end + 1;
    writer.endText(column);
  } else {
    nestedPiece(rows, open);
    writer.nestedPiece(rows, from, open.at);
    cursor.at = open.at;
    if (open.depth > 0) {
      if (open.at >= rows.length) throw malformed(open.at);
      return;
    }
    cursor.rest = writer.endNested(column);
  }
  cursor.open = null;
  cursor.column = column + 1;
}

/** Whether the name at `at`, which is that of a row before, ends after so many bytes. */
function isNameOf(rows: Uint8Array, at: number, width: number): boolean {
  return rows[at] === quote && rows[at + width - 2] === quote && rows[at + width - 1] === colon;
}

/** Where the value after the member name at `at` begins. */
export function endOfName(rows: Uint8Array, at: number): number {
  let end = expect(rows, at, quote);
  while (rows[end] !== quote) {
    if (end >= rows.length) throw malformed(end);
    end += rows[end] === backslash ? 2 : 1;
  }
  return expect(rows, end + 1, colon);
}

/**
 * Where the next piece of a text from `from` ends: at its closing quote, or at a place that divides no escape. The
 * complement (`~`) of it if the piece has escapes, because an object for each text would take longer than the text.
 */
export function textPiece(rows: Uint8Array, from: number): number {
  const stopAt = Math.min(rows.length, from + pieceBytes);
  let hasEscapes = false;
  let end = from;
  while (end < stopAt) {
    const byte = rows[end];
    if (byte === quote) break;
    if (byte !== backslash) {
      end += 1;
      continue;
    }
    hasEscapes = true;
    if (rows[end + 1] !== letterU) end += 2;
    else end += isHighHalf(rows, end) && rows[end + 6] === backslash && rows[end + 7] === letterU ? 12 : 6;
  }
  end = Math.min(end, rows.length);
  return hasEscapes ? ~end : end;
}

/** Whether the escape `\uXXXX` at `at` is D800 to DBFF. */
function isHighHalf(rows: Uint8Array, at: number): boolean {
  const [first = 0, second = 0] = [rows[at + 2], rows[at + 3]];
  return (
    (first | 0x20) === 0x64 &&
    (second === 0x38 || second === 0x39 || (second | 0x20) === 0x61 || (second | 0x20) === 0x62)
  );
}

/** Where the reading of an object or array stands; it ends at depth 0. */
export interface NestedScan {
  at: number;
  depth: number;
  isInText: boolean;
}

export function nestedPiece(rows: Uint8Array, scan: NestedScan): void {
  const stopAt = Math.min(rows.length, scan.at + pieceBytes);
  let { at, depth, isInText } = scan;
  while (at < stopAt) {
    if (isInText) {
      // Most bytes are those of texts.
      while (at < stopAt && rows[at] !== quote && rows[at] !== backslash) at += 1;
      if (at >= stopAt) break;
      isInText = rows[at] === backslash;
      at += isInText ? 2 : 1;
      continue;
    }
    const byte = rows[at];
    at += 1;
    if (byte === quote) isInText = true;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  scan.at = Math.min(at, rows.length);
  scan.depth = depth;
  scan.isInText = isInText;
}

function expect(rows: Uint8Array, at: number, byte: number): number {
  if (rows[at] !== byte) throw malformed(at);
  return at + 1;
}

function malformed(at: number): Error {
  return new Error(`the rows of a result are not JSON at byte ${at}`);
}
