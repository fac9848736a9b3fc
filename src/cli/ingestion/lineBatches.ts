import type { FileLine } from './readLines.ts';

/** Lines that are sent together. */
export interface LineBatch {
  /** The lines joined by line feeds. */
  readonly body: Buffer;
  /** Line number in the file for each line of the body, without blank lines. */
  readonly lineNumbers: readonly number[];
}

export interface BatchLimits {
  readonly linesMax: number;
  readonly bytesMax: number;
}

/** Groups lines into batches within the limits. Skips blank lines, and reports lines that are too long to `onTooLong`. */
export async function* lineBatches(
  lines: AsyncIterable<FileLine>,
  limits: BatchLimits,
  onTooLong: (lineNumber: number) => void,
): AsyncGenerator<LineBatch> {
  let parts: Buffer[] = [];
  let lineNumbers: number[] = [];
  let bytes = 0;
  for await (const line of lines) {
    if (line.kind === 'too_long') {
      onTooLong(line.number);
      continue;
    }
    if (isBlank(line.bytes)) continue;
    if (
      lineNumbers.length > 0 &&
      (lineNumbers.length >= limits.linesMax || bytes + line.bytes.length + 1 > limits.bytesMax)
    ) {
      yield { body: joined(parts), lineNumbers };
      parts = [];
      lineNumbers = [];
      bytes = 0;
    }
    parts.push(line.bytes);
    lineNumbers.push(line.number);
    bytes += line.bytes.length + 1;
  }
  if (lineNumbers.length > 0) yield { body: joined(parts), lineNumbers };
}

const newline = Buffer.from('\n');

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [part, newline]));
}

/** Whether the service would skip the line: it holds only JSON white space. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
