import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Randomness } from '../core/ids.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const publicIdChars = 12;
const secretChars = 32;
const checksumChars = 6;
const shape = /^lm_([0-9A-Za-z]{12})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface ParsedToken {
  /** The part that may be shown and logged. */
  readonly publicId: string;
}

/**
 * The public id of a token in the form of this service, or undefined where the text has not that
 * form (contract, section 4). The form, 53 characters:
 *
 *     lm_  public id (12)  secret (32, 190 bits)  checksum (6)
 *
 * All three parts are base62 (`0-9A-Za-z`). The checksum is the CRC-32 (IEEE) of everything before
 * it, prefix included, as a base62 number, most significant digit first. A scanner finds leaks with
 * `lm_[0-9A-Za-z]{50}` and tells real tokens from look-alikes by the checksum, without a request.
 */
export function parseToken(text: string): ParsedToken | undefined {
  const match = shape.exec(text);
  const publicId = match?.[1];
  if (publicId === undefined) return undefined;
  const end = text.length - checksumChars;
  return text.slice(end) === checksum(text.slice(0, end)) ? { publicId } : undefined;
}

/** A new token. The text is shown once; only `hashToken` of it is kept. */
export function generateToken(randomness: Randomness): { readonly text: string; readonly publicId: string } {
  const publicId = generatePublicId(randomness);
  return { text: generateSecret(publicId, randomness), publicId };
}

/** The text of the token with this public id and a new secret. */
export function generateSecret(publicId: string, randomness: Randomness): string {
  const body = `lm_${publicId}${randomBase62(secretChars, randomness)}`;
  return body + checksum(body);
}

export function generatePublicId(randomness: Randomness): string {
  return randomBase62(publicIdChars, randomness);
}

/** What is kept of a token: the SHA-256 of its whole text, lower-case hex. */
export function hashToken(text: string): string {
  return hash('sha256', text);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < checksumChars; i++) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomBase62(count: number, randomness: Randomness): string {
  let text = '';
  // Bytes from 248 up would make the first eight digits likelier; they are drawn again. A source
  // that gives only such bytes is broken.
  for (let round = 0; text.length < count; round++) {
    if (round === 100) throw new Error('the source of randomness does not give random bytes');
    for (const byte of randomness.bytes(count)) {
      if (byte < 248 && text.length < count) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
