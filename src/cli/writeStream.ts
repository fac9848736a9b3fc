import { Readable } from 'node:stream';
import { counted } from '../core/counted.ts';
import { isJsonObject, type JsonObject } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { trailerMember } from '../formats/ndjson.ts';
import type { FormatName } from '../formats/resultFormat.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { intoOutput } from './intoOutput.ts';
import { noticesIn, noticesOf, tellNotices } from './notices.ts';
import { BrokenAnswer, reasonOf, requestIdOf } from './serviceClient.ts';

/**
 * Writes the stream that `open` begins to a file, which has its name only once it is complete, or to standard output.
 * Throws a CliError if the stream was cut off.
 */
export async function writeStream(
  open: () => Promise<Response>,
  { file, format }: { readonly file: string | undefined; readonly format: FormatName },
  context: Pick<CliContext, 'out' | 'outBytes' | 'err' | 'columns' | 'onInterrupt'>,
): Promise<void> {
  const { end, notices } = await intoOutput(file, context, async (write) => {
    const response = await open();
    const requestId = requestIdOf(response.headers);
    const broken = (reason: string | null) => new BrokenAnswer('The stream', reason, requestId, adviceOf(format));
    const last = new StreamEnd(format);
    for await (const bytes of body(response, broken)) {
      last.push(bytes);
      write(bytes);
    }
    return { end: requireEnd(last, format, broken, requestId), notices: noticesOf(response.headers) };
  });
  const complete = file === undefined ? 'The stream is complete.' : `The stream is complete. Its rows are in ${file}.`;
  const place = file === undefined ? '' : ` in ${file}`;
  context.err(`${end === null ? complete : `${counted(Number(end.rows), 'row')}${place}`}\n`);
  // Those of the last line are more: they may have come up after the headers.
  const meta = end !== null && isJsonObject(end.meta) ? end.meta : {};
  tellNotices([...notices, ...noticesIn(meta.notices)], context);
}

/** Only NDJSON has a place for the reason of a failure after the first rows. */
const adviceOf = (format: FormatName): string =>
  format === 'ndjson' ? '' : ' With --format ndjson, the last line of a stream that fails says why.';

async function* body(response: Response, broken: (reason: string) => BrokenAnswer): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return;
  try {
    for await (const bytes of Readable.fromWeb(response.body as never)) yield bytes as Uint8Array;
  } catch (error) {
    throw broken(reasonOf(error));
  }
}

/**
 * The record at the end of NDJSON; null for other formats, whose end says nothing of the rows. Throws if the rows are not
 * complete.
 */
function requireEnd(
  last: StreamEnd,
  format: FormatName,
  broken: (reason: null) => BrokenAnswer,
  requestId: string | null,
): JsonObject | null {
  // A connection that breaks may look like one that ends well, as through a proxy.
  if (format === 'arrow' && !last.isArrowEnd) throw broken(null);
  if (format !== 'ndjson') return null;
  const line = last.text;
  const record = line.startsWith(`{"${trailerMember}":`) ? parsed(line) : null;
  const end = isJsonObject(record) ? record[trailerMember] : undefined;
  if (!isJsonObject(end)) throw broken(null);
  if (end.status === 'complete') return end;
  throw failed(end, requestId);
}

/** The failure that the last record tells. */
function failed({ error, request_id: own }: JsonObject, requestId: string | null): CliError {
  const { message, code } = isJsonObject(error) ? error : {};
  const why = typeof message === 'string' ? message : 'the service gives no reason.';
  const id = typeof own === 'string' ? own : requestId;
  return new CliError(
    `The stream failed: ${why}${typeof code === 'string' ? ` [${code}]` : ''}${id === null ? '' : `\n  request ID ${id}`}`,
    { details: { ...(typeof code === 'string' ? { code } : {}), ...(id === null ? {} : { request_id: id }) } },
  );
}

/** A line that was cut off is not JSON. */
function parsed(line: string) {
  try {
    return parseJson(line);
  } catch {
    return null;
  }
}

const lineFeed = 0x0a;
const arrowEnd = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

/** Remembers the end of the bytes: the last line of NDJSON, which ends with a line feed, and the last bytes of Arrow. */
class StreamEnd {
  readonly #format: FormatName;
  #parts: Uint8Array[] = [];

  constructor(format: FormatName) {
    this.#format = format;
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString('utf8').trimEnd();
  }

  /** Whether the bytes end as an Arrow stream ends. */
  get isArrowEnd(): boolean {
    return Buffer.concat(this.#parts).subarray(-arrowEnd.length).equals(arrowEnd);
  }

  push(bytes: Uint8Array): void {
    if (this.#format === 'ndjson') this.#pushLines(bytes);
    else if (this.#format === 'arrow') {
      this.#parts = [Buffer.concat([...this.#parts, bytes.subarray(-arrowEnd.length)]).subarray(-arrowEnd.length)];
    }
  }

  #pushLines(bytes: Uint8Array): void {
    // The last byte may end the last line, so it does not begin another one.
    const at = bytes.subarray(0, -1).lastIndexOf(lineFeed);
    const endsLine = this.#parts.at(-1)?.at(-1) === lineFeed;
    if (at >= 0) this.#parts = [bytes.slice(at + 1)];
    else if (endsLine) this.#parts = [bytes.slice()];
    else this.#parts.push(bytes.slice());
  }
}
