/** Redacting a slice takes a few milliseconds. */
const sliceBytes = 128 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Yields the text of rows (JSON objects separated by commas, as engines encode them) in slices of whole rows. */
export function* rowSlices(rows: Uint8Array, bytes: number = sliceBytes): Iterable<string> {
  const buffer = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
  let from = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < buffer.length; at++) {
    const byte = buffer[at];
    if (isInText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInText = false;
    } else if (byte === quote) isInText = true;
    else if (byte === openBrace) depth += 1;
    else if (byte === closeBrace) {
      depth -= 1;
      if (depth > 0 || at + 1 - from < bytes) continue;
      yield buffer.toString('utf8', from, at + 1);
      // Past the comma.
      from = at + 2;
    }
  }
  if (from < buffer.length) yield buffer.toString('utf8', from);
}
