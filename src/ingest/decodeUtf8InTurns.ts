import type { Pause } from '../core/concurrency/turns.ts';
import { type DecodedText, decodeUtf8, lastWholeCharacterEnd } from './decodeUtf8.ts';

/** Bytes that are decoded in one turn, which takes a millisecond or two. */
const pieceBytes = 1024 * 1024;

/** Like `decodeUtf8`, in turns, for any number of bytes. */
export async function decodeUtf8InTurns(bytes: Buffer, pause: Pause): Promise<DecodedText> {
  if (bytes.length <= pieceBytes) return decodeUtf8(bytes);
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = lastWholeCharacterEnd(bytes, from, Math.min(bytes.length, from + pieceBytes));
    const decoded = decodeUtf8(bytes.subarray(from, to));
    if (decoded.kind === 'invalid') return { kind: 'invalid', offset: from + decoded.offset };
    pieces.push(decoded.text);
    if (pause.isDue(to - from)) await pause.take();
    from = to;
  }
  return { kind: 'text', text: pieces.join('') };
}
