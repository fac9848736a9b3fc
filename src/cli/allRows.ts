import { isJsonArray, isJsonObject } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { writeJson } from '../core/writeJson.ts';
import { trailerMember } from '../formats/ndjson.ts';
import type { FormatName } from '../formats/resultFormat.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
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
  /** The sentences of all pages, each once. */
  readonly notices: readonly string[];
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
  const notices = new Set<string>();
  let count = 0;
  let page: Readonly<Record<string, string>> = { page_size: 'max' };
  for (;;) {
    const body = new URLSearchParams([...parameters, ['format', format], ...Object.entries(page)]).toString();
    const { bytes, headers } = await patientAnswerOf(address, path, { body, headers: formHeaders }, context, { query });
    for (const message of noticesOf(headers)) notices.add(message);
    const isFirst = count === 0;
    count += Number(headers.get('x-row-count') ?? 0);
    const cursor = headers.get('x-next-cursor');
    const end = format === 'ndjson' ? startOfTrailer(bytes) : bytes.length;
    write(bytes.subarray(isFirst || format === 'ndjson' ? 0 : endOfHeader(bytes, format), end));
    if (cursor !== null) {
      page = { cursor, page_size: 'max' };
      continue;
    }
    if (format === 'ndjson') write(wholeTrailer(bytes.subarray(end), count));
    const truncated = headers.get('x-truncated') ?? 'false';
    return { count, truncatedBy: truncated === 'false' ? null : truncated, notices: [...notices] };
  }
}

/** The sentences of `X-Notices`. */
export function noticesOf(headers: Headers): readonly string[] {
  const notices = parseJson(headers.get('x-notices') ?? '[]');
  return (isJsonArray(notices) ? notices : []).flatMap((notice) => {
    const message = isJsonObject(notice) ? notice.message : undefined;
    return typeof message === 'string' ? [message] : [];
  });
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

/** The last record of the last page, as that of all rows. */
function wholeTrailer(line: Uint8Array, rows: number): Uint8Array {
  const trailer = parseJson(Buffer.from(line).toString());
  const record = isJsonObject(trailer) ? trailer[trailerMember] : undefined;
  if (!isJsonObject(record) || !isJsonObject(record.meta)) {
    throw new CliError('The answer was cut off: its last line does not say that it is complete.');
  }
  const { next: _, prev: __, ...meta } = record.meta;
  return Buffer.from(`${writeJson({ [trailerMember]: { ...record, rows, meta: { ...meta, row_count: rows } } })}\n`);
}
