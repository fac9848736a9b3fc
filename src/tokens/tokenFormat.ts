import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Randomness } from '../core/ids.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const publicIdChars = 12;
const secretChars = 32;
const checksumChars = 6;
const shape = /^lm_([0-9A-Za-z]{12})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface ParsedToken {
  /** Not secret: it may be shown and logged. */
  readonly publicId: string;
}

/**
 * Parses a token in the form of this service; undefined for other texts (contract, section 4). The form has 53
 * characters:
 *
 *     lm_  public ID (12)  secret (32, 190 bits)  checksum (6)
 *
 * All three parts are base62 (`0-9A-Za-z`). The checksum is the CRC-32 (IEEE) of everything before it, including the
 * prefix, as a base62 number, most significant digit first. A scanner finds leaks with `lm_[0-9A-Za-z]{50}`, and the
 * checksum distinguishes real tokens without a request.
 */
export function parseToken(text: string): ParsedToken | undefined {
  const match = shape.exec(text);
  const publicId = match?.[1];
  if (publicId === undefined) return undefined;
  const end = text.length - checksumChars;
  return text.slice(end) === checksum(text.slice(0, end)) ? { publicId } : undefined;
}

/** Generates a token. Show its text once and store only its `hashToken`. */
export function generateToken(randomness: Randomness): { readonly text: string; readonly publicId: string } {
  const publicId = generatePublicId(randomness);
  return { text: generateSecret(publicId, randomness), publicId };
}

/** Generates the text of a token with this public ID and a new secret. */
export function generateSecret(publicId: string, randomness: Randomness): string {
  const body = `lm_${publicId}${randomBase62(secretChars, randomness)}`;
  return body + checksum(body);
}

export function generatePublicId(randomness: Randomness): string {
  return randomBase62(publicIdChars, randomness);
}

/** The stored form of a token: the SHA-256 of its whole text, lower-case hex. */
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
  // Bytes from 248 up are drawn again, because they would make the first eight digits likelier. A source that returns
  // only such bytes is broken.
  for (let round = 0; text.length < count; round++) {
    if (round === 100) throw new Error('the source of randomness does not return random bytes');
    for (const byte of randomness.bytes(count)) {
      if (byte < 248 && text.length < count) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
