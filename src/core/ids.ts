import { createHash, randomFillSync } from 'node:crypto';

/** A source of random bytes. It is passed in, so that tests and sample data are deterministic. */
export interface Randomness {
  bytes(count: number): Uint8Array;
}

/** Random bytes are drawn in bulk, because a system call for each id would cost more than the rest of the work. */
const pool = new Uint8Array(4096);
let poolAt = pool.length;

export const systemRandomness: Randomness = {
  bytes(count) {
    if (count > pool.length) return randomFillSync(new Uint8Array(count));
    if (poolAt + count > pool.length) {
      randomFillSync(pool);
      poolAt = 0;
    }
    const taken = pool.slice(poolAt, poolAt + count);
    // Clear used bytes, so that none is used twice and no secret stays in memory.
    pool.fill(0, poolAt, poolAt + count);
    poolAt += count;
    return taken;
  },
};

/** Hexadecimal digits by byte. Formatting with a Buffer would cost five times as much, and every call has an id. */
const hexOf: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text has the 36-character form of a UUID, any version (RFC 9562). */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** A UUID version 7 (RFC 9562, section 5.7) for the given millisecond. */
export function uuidV7(unixMs: number, randomness: Randomness): string {
  const bytes = new Uint8Array(16);
  bytes.set(randomness.bytes(10), 6);
  // The 48-bit field cannot hold times before 1970, so these become 0.
  let rest = Math.max(0, Math.floor(unixMs));
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return formatUuid(bytes, 7);
}

/** A UUID version 4 (RFC 9562, section 5.4). */
export function uuidV4(randomness: Randomness): string {
  return formatUuid(Uint8Array.from(randomness.bytes(16)), 4);
}

/** A UUID version 8 (RFC 9562, section 5.8) that is always the same for the text. */
export function uuidOfText(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function formatUuid(bytes: Uint8Array, version: number): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  let text = '';
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
    text += hexOf[bytes[i] ?? 0] ?? '';
  }
  return text;
}
