import { copyBytes } from '../../../core/copyBytes.ts';

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;

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
    if (needsEscapes(text)) {
      this.raw(Buffer.from(quoted(text.toString())));
      return;
    }
    this.#reserve(text.length + 2);
    this.#buffer[this.#length] = quote;
    copyBytes(text, 0, text.length, this.#buffer, this.#length + 1);
    this.#length += text.length + 2;
    this.#buffer[this.#length - 1] = quote;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function needsEscapes(text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] ?? 0;
    if (byte < space || byte === quote || byte === backslash) return true;
  }
  return false;
}

/** Like DuckDB, with capital hexadecimal digits. Every backslash begins an escape. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(/\\(?:u00([0-9a-f]{2})|.)/g, (whole, digits?: string) =>
    digits === undefined ? whole : `\\u00${digits.toUpperCase()}`,
  );
