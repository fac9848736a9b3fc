import type { ByteSink } from './byteSink.ts';
import type { Replacements } from './replacements.ts';

const backslash = 0x5c;
const letterU = 0x75;

/** What the escape after a backslash stands for; `u` is read separately. */
const simpleEscapes: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** One character of a JSON string. */
export interface Character {
  /** The code point; U+FFFD for half of a surrogate pair. */
  readonly code: number;
  /** Bytes of its escape. */
  readonly length: number;
}

/** The character that the escape at `at` (a backslash) stands for. */
export function escapedCharacter(bytes: Uint8Array, at: number): Character {
  const kind = bytes[at + 1] ?? 0;
  if (kind !== letterU) return { code: simpleEscapes.get(kind) ?? kind, length: 2 };
  const first = hexadecimal(bytes, at + 2);
  if (first < 0xd800 || first > 0xdfff) return { code: first, length: 6 };
  if (first < 0xdc00 && bytes[at + 6] === backslash && bytes[at + 7] === letterU) {
    const second = hexadecimal(bytes, at + 8);
    if (second >= 0xdc00 && second <= 0xdfff) {
      return { code: 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), length: 12 };
    }
  }
  return { code: 0xfffd, length: 6 };
}

function hexadecimal(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] ?? 0;
    value = value * 16 + (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
  }
  return value;
}

/** Writes the content of a JSON string in UTF-8, with the replacements of the format. */
export function writeText(
  sink: ByteSink,
  bytes: Uint8Array,
  from: number,
  to: number,
  hasEscapes: boolean,
  table: Replacements | null,
): void {
  if (!hasEscapes) {
    if (table === null) sink.append(bytes, from, to);
    else sink.appendReplaced(bytes, from, to, table);
    return;
  }
  for (let at = from; at < to; ) {
    let end = at;
    while (end < to && bytes[end] !== backslash) end += 1;
    if (end > at) {
      if (table === null) sink.append(bytes, at, end);
      else sink.appendReplaced(bytes, at, end, table);
    }
    if (end === to) break;
    const { code, length } = escapedCharacter(bytes, end);
    writeCode(sink, code, table);
    at = end + length;
  }
}

function writeCode(sink: ByteSink, code: number, table: Replacements | null): void {
  if (code < 0x80) {
    const replacement = table?.texts[code];
    if (replacement === undefined) sink.push(code);
    else sink.append(replacement);
    return;
  }
  if (code < 0x800) sink.push(0xc0 | (code >> 6));
  else {
    if (code < 0x10000) sink.push(0xe0 | (code >> 12));
    else {
      sink.push(0xf0 | (code >> 18));
      sink.push(0x80 | ((code >> 12) & 0x3f));
    }
    sink.push(0x80 | ((code >> 6) & 0x3f));
  }
  sink.push(0x80 | (code & 0x3f));
}

/** Writes a text that is no JSON, with the replacements of the format. */
export function writePlain(sink: ByteSink, text: string, table: Replacements): void {
  const bytes = Buffer.from(text);
  writeText(sink, bytes, 0, bytes.length, false, table);
}
