import { atOnce } from './concurrency/turns.ts';

/** A place in a text, for people. */
export interface TextPlace {
  /** From 1; lines end at a line feed. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
}

const lineFeed = 0x0a;

/** Line and column of the UTF-16 code unit at `offset`. It does not copy any part of the text. */
export function textPlace(text: string, offset: number): TextPlace {
  return atOnce(textPlaceInSteps(text, offset, Number.POSITIVE_INFINITY));
}

/** Like `textPlace`, in steps of `stepChars`. Yields the current offset. */
export function* textPlaceInSteps(text: string, offset: number, stepChars: number): Generator<number, TextPlace> {
  let line = 1;
  let column = 1;
  for (let from = 0; from < offset; ) {
    const to = Math.min(offset, from + Math.max(1, stepChars));
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code === lineFeed) {
        line++;
        column = 1;
        // Fast path: most characters are not surrogates.
      } else if (code < 0xd800 || !isSecondOfPair(text, at)) column++;
    }
    from = to;
    if (from < offset) yield from;
  }
  return { line, column };
}

function isSecondOfPair(text: string, at: number): boolean {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
