import { lineTime } from './lineTime.ts';
import type { FileLine } from './readLines.ts';

export interface TextOptions {
  /** Of every event; null to leave it to the service. */
  readonly project: string | null;
  /** Appends indented lines, such as those of a stack trace, to the line before. */
  readonly joinIndented: boolean;
  /** Most bytes of lines that are joined; what follows begins an event of its own. */
  readonly bytesMax: number;
  readonly nowMicros: () => number;
}

/** Makes an event of each line that is not blank: its text, and its time if it begins with one. */
export async function* textEvents(
  lines: AsyncIterable<FileLine>,
  { project, joinIndented, bytesMax, nowMicros }: TextOptions,
): AsyncGenerator<FileLine> {
  for await (const line of joinIndented ? joined(lines, bytesMax) : lines) {
    if (line.kind === 'too_long') {
      yield line;
      continue;
    }
    const text = line.bytes.toString('utf8').replace(/\r$/, '');
    if (text.trim() === '') continue;
    const event = {
      ...(project === null ? {} : { project }),
      timestamp: lineTime(text, nowMicros()) ?? undefined,
      event_message: text,
    };
    yield { ...line, bytes: Buffer.from(JSON.stringify(event)) };
  }
}

const space = 0x20;
const tab = 0x09;
const lineFeed = Buffer.from('\n');

async function* joined(lines: AsyncIterable<FileLine>, bytesMax: number): AsyncGenerator<FileLine> {
  let held: { readonly number: number; readonly parts: Buffer[]; bytes: number } | null = null;
  const taken = (): FileLine[] =>
    held === null ? [] : [{ kind: 'line', number: held.number, bytes: Buffer.concat(held.parts) }];
  for await (const line of lines) {
    const isMore =
      line.kind === 'line' && held !== null && isIndented(line.bytes) && held.bytes + line.bytes.length < bytesMax;
    if (isMore && held !== null) {
      held.parts.push(lineFeed, line.bytes);
      held.bytes += line.bytes.length + 1;
      continue;
    }
    yield* taken();
    held = line.kind === 'line' ? { number: line.number, parts: [line.bytes], bytes: line.bytes.length } : null;
    if (line.kind === 'too_long') yield line;
  }
  yield* taken();
}

const isIndented = (bytes: Buffer): boolean => bytes[0] === space || bytes[0] === tab;
