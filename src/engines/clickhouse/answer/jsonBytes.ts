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

const minus = 0x2d;
const billion = 1_000_000_000;

/** Up to here, writing character by character is faster than a call of the library. */
const loopedChars = 32;

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

  /** An ASCII character. */
  byte(code: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = code;
  }

  /** Text without characters beyond ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length);
    if (text.length > loopedChars) {
      this.#length += this.#buffer.write(text, this.#length, 'latin1');
      return;
    }
    for (let i = 0; i < text.length; i++) this.#buffer[this.#length++] = text.charCodeAt(i);
  }

  /** A whole number that is a safe integer. */
  integer(value: number): void {
    if (value < 0) this.byte(minus);
    const size = Math.abs(value);
    const high = Math.floor(size / billion);
    const low = size - high * billion;
    if (high > 0) this.digits(high, digitsOf(high));
    this.digits(low, high > 0 ? 9 : digitsOf(low));
  }

  /** So many digits of a whole number from 0 to 999,999,999, the first ones of which may be zeros. */
  digits(value: number, count: number): void {
    this.#reserve(count);
    let left = value;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const rest = Math.trunc(left / 10);
      this.#buffer[at] = zero + left - rest * 10;
      left = rest;
    }
    this.#length += count;
  }

  /** Bytes that are JSON already, or a part of it. */
  raw(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.#reserve(to - from);
    copyBytes(bytes, from, to, this.#buffer, this.#length);
    this.#length += to - from;
  }

  /** A string whose content is the text from `from` to `to`, which is UTF-8. */
  string(text: Buffer, from = 0, to = text.length): void {
    const plain = plainUntil(text, from, to);
    this.#reserve(plain - from + 1);
    this.#buffer[this.#length] = quote;
    copyBytes(text, from, plain, this.#buffer, this.#length + 1);
    this.#length += plain - from + 1;
    for (let next = plain; next < to; next += pieceBytes) this.#escaped(text, next, Math.min(to, next + pieceBytes));
    this.byte(quote);
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

/** Where the beginning ends that a string has as it is. */
function plainUntil(text: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && escapes[text[at] ?? 0] === 0) at++;
  return at;
}

/** How many digits a whole number from 0 to 999,999,999 has. */
function digitsOf(value: number): number {
  let count = 1;
  for (let bound = 10; value >= bound; bound *= 10) count++;
  return count;
}
