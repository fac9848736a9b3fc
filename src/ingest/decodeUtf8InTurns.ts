import { isAscii } from 'node:buffer';
import type { Pause } from '../core/concurrency/turns.ts';
import type { TextPlace } from '../core/textPlace.ts';
import { lastWholeCharacterEnd, textAt } from './decodeUtf8.ts';

/** Bytes that are decoded in one turn, which takes a millisecond or two. */
const pieceBytes = 1024 * 1024;

/**
 * Like `decodeUtf8`, in turns. Only for some MiB: the text is made at once in the end, and the memory of a long one is new.
 *
 * @throws NotUtf8
 */
export async function decodeUtf8InTurns(bytes: Buffer, pause: Pause): Promise<string> {
  if (bytes.length <= pieceBytes) return textAt(bytes, 0, bytes.length);
  // The text of ASCII is not copied a second time when pieces are joined.
  if (await isAsciiInTurns(bytes, pause)) return bytes.toString('latin1');
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = lastWholeCharacterEnd(bytes, from, Math.min(bytes.length, from + pieceBytes));
    pieces.push(textAt(bytes, from, to));
    if (pause.isDue(to - from)) await pause.take();
    from = to;
  }
  return pieces.join('');
}

async function isAsciiInTurns(bytes: Buffer, pause: Pause): Promise<boolean> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = bytes.subarray(from, from + pieceBytes);
    if (!isAscii(piece)) return false;
    if (pause.isDue(piece.length)) await pause.take();
  }
  return true;
}

const lineFeed = 0x0a;
/** Bytes that are searched in one turn. */
const searchedBytes = 256 * 1024;

/** Line and column of a byte, found in turns. The bytes before it are UTF-8. */
export async function bytePlaceInTurns(bytes: Buffer, offset: number, pause: Pause): Promise<TextPlace> {
  let line = 1;
  let column = 1;
  for (let from = 0; from < offset; from += searchedBytes) {
    const piece = bytes.subarray(from, Math.min(offset, from + searchedBytes));
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte === lineFeed) {
        line++;
        column = 1;
        // All other bytes of a character begin with the bits 10.
      } else if ((byte & 0xc0) !== 0x80) column++;
    }
    if (pause.isDue(piece.length)) await pause.take();
  }
  return { line, column };
}
