import { isAscii, isUtf8 } from 'node:buffer';
import { ServiceError } from '../core/errors.ts';

export type DecodedText =
  | { readonly kind: 'text'; readonly text: string }
  /** `offset`: index of the first byte that is not UTF-8. */
  | { readonly kind: 'invalid'; readonly offset: number };

/** A byte is not UTF-8. */
export class NotUtf8 extends Error {
  /** Index of the byte. */
  readonly offset: number;

  constructor(offset: number) {
    super(`byte ${offset} is not UTF-8`);
    this.name = 'NotUtf8';
    this.offset = offset;
  }
}

/**
 * Decodes UTF-8 bytes. Each surrogate that is encoded on its own, as some JavaScript and Java senders do, becomes
 * U+FFFD (streams.md: "Lone surrogates become U+FFFD"). The caller must refuse other bytes that are not UTF-8, because
 * their text is lost.
 */
export function decodeUtf8(bytes: Buffer): DecodedText {
  // Returns the same text several times faster.
  if (isAscii(bytes)) return { kind: 'text', text: bytes.toString('latin1') };
  if (isUtf8(bytes)) return { kind: 'text', text: bytes.toString('utf8') };
  const repaired = Buffer.from(bytes);
  for (let at = repaired.indexOf(0xed); at >= 0; at = repaired.indexOf(0xed, at + 1)) {
    if (isContinuation(repaired[at + 1], 0xa0) && isContinuation(repaired[at + 2], 0x80)) {
      repaired.set(replacementCharacter, at);
    }
  }
  if (isUtf8(repaired)) return { kind: 'text', text: repaired.toString('utf8') };
  return { kind: 'invalid', offset: firstInvalidByte(repaired) };
}

/**
 * The text of the bytes from `from` to `to`.
 *
 * @throws NotUtf8
 */
export function textAt(bytes: Buffer, from: number, to: number): string {
  const decoded = decodeUtf8(bytes.subarray(from, to));
  if (decoded.kind === 'invalid') throw new NotUtf8(from + decoded.offset);
  return decoded.text;
}

/**
 * Where bytes that end before `to` can be cut: at the end, or a few bytes earlier if the end may be inside a character.
 */
export function lastWholeCharacterEnd(bytes: Buffer, from: number, to: number): number {
  if (to === bytes.length) return to;
  const end = wholeCharactersEnd(bytes, from, to);
  return end > from ? end : to;
}

/**
 * Removes a UTF-8 byte order mark.
 * @throws ServiceError `request.unsupported_media_type` for UTF-16 and UTF-32.
 */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3);
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isMarked || startsWide(bytes)) {
    throw new ServiceError('request.unsupported_media_type', 'The body looks like UTF-16 or UTF-32; send UTF-8.');
  }
  return bytes;
}

/**
 * Whether the first four bytes are ASCII, as JSON begins, in UTF-16 or UTF-32: every second byte is zero, or three of
 * four are. A single zero is only a character of a line that is not JSON; later lines may be JSON.
 */
function startsWide([first, second, third, fourth]: Uint8Array): boolean {
  if (first === 0 && third === 0) return second !== 0 || fourth !== 0;
  return first !== 0 && second === 0 && fourth === 0;
}

const replacementCharacter = Buffer.from('\ufffd');

function isContinuation(byte: number | undefined, from: number): boolean {
  return byte !== undefined && byte >= from && byte <= 0xbf;
}

/** Finds the byte by binary search: a prefix is valid up to a character that it cuts. */
function firstInvalidByte(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (high - low > 8) {
    const middle = wholeCharactersEnd(bytes, low, (low + high) >> 1);
    if (middle <= low) break;
    if (isUtf8(bytes.subarray(low, middle))) low = middle;
    else high = middle;
  }
  while (low < high) {
    const end = wholeCharacterAt(bytes, low, high);
    if (end === low) return low;
    low = end;
  }
  return low;
}

/** `at`, moved back to the start of a character that it might cut. */
function wholeCharactersEnd(bytes: Buffer, low: number, at: number): number {
  let end = at;
  while (end > low && end > at - 4 && isContinuation(bytes[end], 0x80)) end--;
  return end;
}

function wholeCharacterAt(bytes: Buffer, start: number, limit: number): number {
  for (let length = 1; length <= 4 && start + length <= limit; length++) {
    if (isUtf8(bytes.subarray(start, start + length))) return start + length;
  }
  return start;
}
