import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Randomness, systemRandomness } from '../core/ids.ts';
import { generateToken, hashToken, parseToken } from './tokenFormat.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes that count up from `start`. */
const counting = (start: number): Randomness => {
  let next = start;
  return { bytes: (count) => Uint8Array.from({ length: count }, () => next++ % 256) };
};

describe('generateToken', () => {
  it('has the documented form', () => {
    const { text, publicId } = generateToken(systemRandomness);
    expect(text).toMatch(/^lm_[0-9A-Za-z]{50}$/);
    expect(text.slice(3, 15)).toBe(publicId);
  });

  it('has the checksum that other scanners compute', () => {
    // CRC-32 as computed by Python's zlib.
    expect(generateToken(counting(0)).text).toBe('lm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh0EDDIk');
  });

  it('uses every character evenly', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++) {
      for (const char of generateToken(systemRandomness).text.slice(3, 47))
        counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const expected = (2000 * 44) / 62;
    expect(counts.size).toBe(62);
    // Six standard deviations; a modulo bias would put the first characters 21 % above the others.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });

  it('fails, and does not hang, if the source returns no usable bytes', () => {
    expect(() => generateToken({ bytes: (count) => new Uint8Array(count).fill(255) })).toThrow('random');
  });
});

describe('parseToken', () => {
  it('finds the public ID of every generated token', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), (start) => {
        const { text, publicId } = generateToken(counting(start));
        expect(parseToken(text)).toEqual({ publicId });
      }),
    );
  });

  it('refuses a token with any one character changed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        fc.nat(52),
        fc.nat(alphabet.length - 1),
        (start, at, replacement) => {
          const { text } = generateToken(counting(start));
          const char = alphabet.charAt(replacement);
          fc.pre(char !== text.charAt(at));
          expect(parseToken(text.slice(0, at) + char + text.slice(at + 1))).toBeUndefined();
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses two swapped neighbouring characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.nat(51), (start, at) => {
        const { text } = generateToken(counting(start));
        fc.pre(text.charAt(at) !== text.charAt(at + 1));
        const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
        expect(parseToken(swapped)).toBeUndefined();
      }),
    );
  });

  it('refuses any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseToken(text) === undefined));
    const { text } = generateToken(systemRandomness);
    for (const other of [
      `${text} `,
      ` ${text}`,
      `${text}\n`,
      text.toUpperCase(),
      text.slice(0, -1),
      `${text}0`,
      text.slice(3),
    ]) {
      expect(parseToken(other)).toBeUndefined();
    }
  });
});

it('hashes the whole text with SHA-256', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
