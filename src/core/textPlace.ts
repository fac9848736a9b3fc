/** A place in a text, for people. */
export interface TextPlace {
  /** From 1; lines end at a line feed. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
}

/** Line and column of the UTF-16 code unit at `offset`. It does not copy any part of the text. */
export function textPlace(text: string, offset: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < offset; at++) {
    // Fast path: most characters are not surrogates.
    if (text.charCodeAt(at) < 0xd800 || !isSecondOfPair(text, at)) column++;
  }
  return { line, column };
}

function isSecondOfPair(text: string, at: number): boolean {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
