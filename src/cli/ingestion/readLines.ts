/** A line of a file, numbered from 1, or a marker for a line that is too long. */
export type FileLine =
  | { readonly kind: 'line'; readonly number: number; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly number: number };

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Yields the lines of a stream as bytes, without line feeds and without a byte order mark. Keeps at most one line of
 * `bytesMax` in memory; a longer line is skipped and yielded as `too_long`.
 */
export async function* readLines(input: AsyncIterable<Buffer | string>, bytesMax: number): AsyncGenerator<FileLine> {
  let number = 1;
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
      hold(bytes.subarray(from, at));
      yield taken();
      from = at + 1;
    }
    hold(bytes.subarray(from));
  }
  if (heldBytes > 0) yield taken();

  function hold(part: Buffer): void {
    heldBytes += part.length;
    if (heldBytes > bytesMax) held = [];
    else if (part.length > 0) held.push(part);
  }

  function taken(): FileLine {
    const line: FileLine =
      heldBytes > bytesMax
        ? { kind: 'too_long', number }
        : { kind: 'line', number, bytes: number === 1 ? withoutMark(Buffer.concat(held)) : Buffer.concat(held) };
    number++;
    held = [];
    heldBytes = 0;
    return line;
  }
}

function withoutMark(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, byteOrderMark.length);
  return start.equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes;
}
