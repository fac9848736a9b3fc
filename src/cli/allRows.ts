import { isJsonObject, type JsonObject } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { writeJson } from '../core/writeJson.ts';
import { trailerMember } from '../formats/ndjson.ts';
import type { FormatName } from '../formats/resultFormat.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { noticesIn, noticesOf } from './notices.ts';
import { formHeaders, patientAnswerOf } from './patientAnswer.ts';
import type { ServiceAddress } from './serviceClient.ts';

/** Formats whose pages can be put together. */
export const wholeFormats = ['csv', 'tsv', 'ndjson'] as const satisfies readonly FormatName[];
export type WholeFormat = (typeof wholeFormats)[number];
export const wholeFormatsText = 'csv, tsv or ndjson';

export interface AllRows {
  readonly count: number;
  /** The limit that left out rows; null if these are all. */
  readonly truncatedBy: string | null;
  /** Those of all pages; the same one may be there several times. */
  readonly notices: readonly JsonObject[];
}

/** A call in pages. */
export interface PagedCall {
  readonly address: ServiceAddress;
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly format: WholeFormat;
  /** The caller's query, which places in errors refer to. */
  readonly query: string | undefined;
}

/** Reads all pages of a call and hands their bytes to `write`, as one body. Throws a CliError if the service refuses one. */
export async function readAllRows(
  { address, path, parameters, format, query }: PagedCall,
  write: (bytes: Uint8Array) => void,
  context: Pick<CliContext, 'delay'>,
): Promise<AllRows> {
  const notices: JsonObject[] = [];
  let count = 0;
  let page: Readonly<Record<string, string>> = { page_size: 'max' };
  for (;;) {
    const body = new URLSearchParams([...parameters, ...Object.entries(page)]).toString();
    const { bytes, headers } = await patientAnswerOf(address, path, { body, headers: formHeaders }, context, { query });
    const isFirst = count === 0;
    count += Number(headers.get('x-row-count') ?? 0);
    const cursor = headers.get('x-next-cursor');
    const end = format === 'ndjson' ? startOfTrailer(bytes) : bytes.length;
    const trailer = format === 'ndjson' ? recordOf(bytes.subarray(end)) : null;
    notices.push(...(trailer === null ? noticesOf(headers) : noticesIn(trailer.meta.notices)));
    write(bytes.subarray(isFirst || format === 'ndjson' ? 0 : endOfHeader(bytes, format), end));
    if (cursor !== null) {
      page = { cursor, page_size: 'max' };
      continue;
    }
    if (trailer !== null) write(wholeTrailer(trailer, count, notices));
    const truncated = headers.get('x-truncated') ?? 'false';
    return { count, truncatedBy: truncated === 'false' ? null : truncated, notices };
  }
}

const quote = 0x22;
const lineFeed = 0x0a;

/** The names of CSV are quoted, and may contain line ends. */
function endOfHeader(bytes: Uint8Array, format: WholeFormat): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (format === 'csv' && bytes[at] === quote) isQuoted = !isQuoted;
    else if (bytes[at] === lineFeed && !isQuoted) return at + 1;
  }
  return bytes.length;
}

/** Where the last line of NDJSON begins. */
const startOfTrailer = (bytes: Uint8Array): number => bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1;

interface Trailer {
  readonly record: JsonObject;
  readonly meta: JsonObject;
}

function recordOf(line: Uint8Array): Trailer {
  const trailer = parseJson(Buffer.from(line).toString());
  const record = isJsonObject(trailer) ? trailer[trailerMember] : undefined;
  if (isJsonObject(record) && isJsonObject(record.meta)) return { record, meta: record.meta };
  throw new CliError('The answer was cut off: its last line does not say that it is complete.');
}

/** The last record of the last page, as that of all rows, with the notices of all pages. */
function wholeTrailer({ record, meta }: Trailer, rows: number, notices: readonly JsonObject[]): Uint8Array {
  const { next: _, prev: __, ...others } = meta;
  const all = [...new Map(notices.map((notice) => [writeJson(notice), notice])).values()];
  const whole = { ...others, row_count: rows, notices: all };
  return Buffer.from(`${writeJson({ [trailerMember]: { ...record, rows, meta: whole } })}\n`);
}
