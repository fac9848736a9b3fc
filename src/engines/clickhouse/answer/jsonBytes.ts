import { copyBytes } from '../../../core/copyBytes.ts';

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const zero = 0x30;
const one = 0x31;
/** `u`, the escape of a control character without a letter of its own. */
const numbered = 0x75;
/** With capital digits, like DuckDB. */
const hexadecimal = Buffer.from('0123456789ABCDEF');

/** By byte: what follows the backslash of its escape; 0 for bytes that need none. */
const escapes = new Uint8Array(256).fill(numbered, 0, space);
for (const [byte, letter] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\'].map((each) => Buffer.from(each)))
  escapes[byte ?? 0] = letter ?? 0;

const escapeBytesMax = 6;
/** Room is made for the escapes of so many bytes at once. */
const pieceBytes = 16 * 1024;

/** JSON text under construction, in UTF-8. */
export class JsonBytes {
  #buffer: Buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  /** Valid until it is written again. */
  get bytes(): Buffer {
    return this.#buffer;
  }

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  /** Text without characters beyond ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  /** Bytes that are JSON already, or a part of it. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    copyBytes(bytes, 0, bytes.length, this.#buffer, this.#length);
    this.#length += bytes.length;
  }

  /** A string with the content `text`, which is UTF-8. */
  string(text: Buffer): void {
    const plain = plainUntil(text);
    this.#reserve(plain + 1);
    this.#buffer[this.#length] = quote;
    copyBytes(text, 0, plain, this.#buffer, this.#length + 1);
    this.#length += plain + 1;
    for (let from = plain; from < text.length; from += pieceBytes)
      this.#escaped(text, from, Math.min(text.length, from + pieceBytes));
    this.#reserve(1);
    this.#buffer[this.#length++] = quote;
  }

  /** Byte by byte, because replacing each escape in a text would hold the main thread for a second per megabyte of quotes. */
  #escaped(text: Buffer, from: number, to: number): void {
    this.#reserve((to - from) * escapeBytesMax);
    const buffer = this.#buffer;
    let length = this.#length;
    for (let i = from; i < to; i++) {
      const byte = text[i] ?? 0;
      const letter = escapes[byte] ?? 0;
      if (letter === 0) {
        buffer[length++] = byte;
        continue;
      }
      buffer[length++] = backslash;
      buffer[length++] = letter;
      if (letter === numbered) {
        buffer[length++] = zero;
        buffer[length++] = zero;
        buffer[length++] = byte < 0x10 ? zero : one;
        buffer[length++] = hexadecimal[byte & 0x0f] ?? 0;
      }
    }
    this.#length = length;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** A string of JSON, as `JsonBytes` writes it. */
export function jsonString(text: string): Buffer {
  const json = new JsonBytes();
  json.string(Buffer.from(text));
  return Buffer.from(json.bytes.subarray(0, json.length));
}

/** The length of the beginning that a string has as it is. */
function plainUntil(text: Buffer): number {
  let length = 0;
  while (length < text.length && escapes[text[length] ?? 0] === 0) length++;
  return length;
}
