import { Readable } from 'node:stream';
import { counted } from '../core/counted.ts';
import { isJsonObject, type JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { trailerMember } from '../formats/ndjson.ts';
import { noticesOf } from './allRows.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { intoFile } from './intoFile.ts';
import { reasonOf } from './serviceClient.ts';

/**
 * Writes the stream that `open` begins to a file, which has its name only once it is complete, or to standard output.
 * Throws a CliError if the stream was cut off.
 */
export async function writeStream(
  open: () => Promise<Response>,
  { out, isNdjson }: { readonly out: string | undefined; readonly isNdjson: boolean },
  context: Pick<CliContext, 'out' | 'err'>,
): Promise<void> {
  const read = async (write: (bytes: Uint8Array) => void) => {
    const response = await open();
    const last = new LastLine();
    for await (const bytes of body(response)) {
      if (isNdjson) last.push(bytes);
      write(bytes);
    }
    return { end: requireEnd(last, isNdjson), notices: noticesOf(response.headers) };
  };
  const { end, notices } = out === undefined ? await read(printer(context)) : await intoFile(out, read);
  const place = out === undefined ? '' : ` in ${out}`;
  const complete = out === undefined ? 'The stream is complete.' : `The stream is complete. Its rows are in ${out}.`;
  context.err(`${end === null ? complete : `${counted(Number(end.rows), 'row')}${place}`}\n`);
  for (const message of notices) context.err(`notice: ${message}\n`);
}

async function* body(response: Response): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return;
  try {
    for await (const bytes of Readable.fromWeb(response.body as never)) yield bytes as Uint8Array;
  } catch (error) {
    throw new CliError(`The stream was cut off: ${reasonOf(error)}. Its rows are not complete.`);
  }
}

/** Prints pieces of a text. */
function printer({ out }: Pick<CliContext, 'out'>): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  return (bytes) => {
    const text = held + decoder.decode(bytes, { stream: true });
    // A carriage return without its line feed would be escaped, so it waits for the next piece.
    held = text.endsWith('\r') ? '\r' : '';
    out(text.slice(0, text.length - held.length));
  };
}

/** The record at the end of NDJSON; null for other formats, whose end says nothing. Throws if the rows are not complete. */
function requireEnd(last: LastLine, isNdjson: boolean): { readonly [name: string]: JsonValue } | null {
  if (!isNdjson) return null;
  const line = last.text;
  const record = line.startsWith(`{"${trailerMember}":`) ? parseJson(line) : null;
  const end = isJsonObject(record) ? record[trailerMember] : undefined;
  if (!isJsonObject(end)) throw new CliError('The stream was cut off before its end. Its rows are not complete.');
  if (end.status === 'complete') return end;
  const message = isJsonObject(end.error) ? end.error.message : undefined;
  throw new CliError(`The stream failed: ${typeof message === 'string' ? message : 'the service gives no reason.'}`);
}

const lineFeed = 0x0a;

/** Remembers the last line of bytes that end with a line feed. */
class LastLine {
  #parts: Uint8Array[] = [];

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8').trimEnd();
  }

  push(bytes: Uint8Array): void {
    // The last byte may end the last line, so it does not begin another one.
    const at = bytes.subarray(0, -1).lastIndexOf(lineFeed);
    const endsLine = this.#parts.at(-1)?.at(-1) === lineFeed;
    if (at >= 0) this.#parts = [bytes.slice(at + 1)];
    else if (endsLine) this.#parts = [bytes.slice()];
    else this.#parts.push(bytes.slice());
  }
}
