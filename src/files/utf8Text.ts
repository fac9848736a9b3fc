import { FileRefusal } from './fileRefusal.ts';

/**
 * Decodes a file in UTF-8 and drops the byte order mark that some editors write. Refuses invalid bytes, and the NUL
 * bytes of UTF-16 without a mark, because they would decode to a different text.
 *
 * @throws FileRefusal with the offset of the first wrong byte, from 0, and its line
 */
export function utf8Text(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) throw utf16();
  const wrongAt = firstWrongByte(bytes);
  if (wrongAt !== null) {
    const byte = hex(bytes[wrongAt] ?? 0);
    throw new FileRefusal(
      `is not UTF-8: the byte 0x${byte} at ${placeOf(bytes, wrongAt)} begins no character. Save it as UTF-8`,
    );
  }
  const nulAt = bytes.indexOf(0);
  if (nulAt === 1 || (nulAt === 0 && bytes[1] !== 0)) throw utf16();
  if (nulAt >= 0) throw new FileRefusal(`has a NUL byte at ${placeOf(bytes, nulAt)}, so it is not text`);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function utf16(): FileRefusal {
  return new FileRefusal('is UTF-16, at byte 0; save it as UTF-8');
}

/** Offset of the first bytes that are not a character; null if there are none. */
function firstWrongByte(bytes: Buffer): number | null {
  if (isUtf8(bytes, false)) return null;
  let [right, wrong] = [0, bytes.length + 1];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (isUtf8(bytes.subarray(0, middle), true)) right = middle;
    else wrong = middle;
  }
  // The character may have begun up to three bytes before the byte that makes it invalid.
  for (let at = wrong - 1; at > 0 && at >= wrong - 4; at--) if (isUtf8(bytes.subarray(0, at), false)) return at;
  return 0;
}

/** With `isBeginning`, the last character may be incomplete. */
function isUtf8(bytes: Buffer, isBeginning: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isBeginning });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function placeOf(bytes: Buffer, offset: number): string {
  let line = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) line++;
  return `byte ${offset} (line ${line})`;
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
