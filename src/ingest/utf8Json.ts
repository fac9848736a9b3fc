import type { JsonText } from '../core/jsonArraySlices.ts';
import { decodeUtf8 } from './decodeUtf8.ts';

/** The most bytes that become one string: the memory of a longer string is new, and its pages take long to get. */
const stringBytesMax = 1024 * 1024;

/** JSON in UTF-8 that is decoded slice by slice. Its structure is ASCII, and no other character contains such a byte. */
export class Utf8Json implements JsonText {
  readonly length: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  charCodeAt(at: number): number {
    return this.#bytes[at] ?? Number.NaN;
  }

  /** The text of the bytes. A text that is not JSON if they are not UTF-8 or too many. */
  slice(from: number, to: number): string {
    if (to - from > stringBytesMax) return notJson;
    const decoded = decodeUtf8(this.#bytes.subarray(from, to));
    return decoded.kind === 'text' ? decoded.text : notJson;
  }
}

const notJson = '\0';
