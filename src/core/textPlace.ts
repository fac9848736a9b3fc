/** A place in a text as people count. */
export interface TextPlace {
  /** From 1; lines end at a line feed. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
}

/** Where the UTF-16 code unit at `offset` stands. Takes no memory beside the text, however long its lines are. */
export function textPlace(text: string, offset: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < offset; at++) {
    // Most characters are no surrogate, and need no look at the one before.
    if (text.charCodeAt(at) < 0xd800 || !isSecondOfPair(text, at)) column++;
  }
  return { line, column };
}

function isSecondOfPair(text: string, at: number): boolean {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
