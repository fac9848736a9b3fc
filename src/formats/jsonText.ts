import type { ByteSink } from './byteSink.ts';

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

/** What a format writes instead of a byte below 0x80. Bytes that are not named are written as they are. */
export type Replacements = readonly (Uint8Array | undefined)[];

export function replacements(texts: Readonly<Record<string, string>>): Replacements {
  const table: (Uint8Array | undefined)[] = Array.from({ length: 256 }, () => undefined);
  for (const [character, text] of Object.entries(texts)) table[character.charCodeAt(0)] = Buffer.from(text);
  return table;
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
  if (table === null && !hasEscapes) {
    sink.append(bytes, from, to);
    return;
  }
  // Everything between replaced characters is copied at once.
  let copiedTo = from;
  for (let at = from; at < to; ) {
    const byte = bytes[at] ?? 0;
    const isEscape = hasEscapes && byte === backslash;
    const replacement = isEscape ? undefined : table?.[byte];
    if (!isEscape && replacement === undefined) {
      at += 1;
      continue;
    }
    if (at > copiedTo) sink.append(bytes, copiedTo, at);
    if (isEscape) {
      const { code, length } = escapedCharacter(bytes, at);
      writeCode(sink, code, table);
      at += length;
    } else {
      if (replacement !== undefined) sink.append(replacement);
      at += 1;
    }
    copiedTo = at;
  }
  if (to > copiedTo) sink.append(bytes, copiedTo, to);
}

function writeCode(sink: ByteSink, code: number, table: Replacements | null): void {
  if (code < 0x80) {
    const replacement = table?.[code];
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
