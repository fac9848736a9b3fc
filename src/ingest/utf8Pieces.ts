import type { TextPieces } from '../core/textPieces.ts';
import { lastWholeCharacterEnd, textAt } from './decodeUtf8.ts';

/** Bytes of a piece. */
const pieceBytes = 256 * 1024;

/** UTF-8 as a text in pieces, read as `decodeUtf8` does. Making a piece may throw NotUtf8. */
export function utf8Pieces(bytes: Buffer): TextPieces {
  return function* pieces() {
    for (let from = 0; from < bytes.length; ) {
      const to = lastWholeCharacterEnd(bytes, from, Math.min(bytes.length, from + pieceBytes));
      yield textAt(bytes, from, to);
      from = to;
    }
    return undefined;
  };
}
