import { tableFromIPC } from 'apache-arrow';
import { expect, vi } from 'vitest';
import { parseJson } from '../../src/core/losslessJson.ts';
import { writeJson } from '../../src/core/writeJson.ts';
import { exportFormats } from '../../src/exports/exportRecord.ts';
import { type FormatName, formatNames } from '../../src/formats/resultFormat.ts';
import { streamedFormats } from '../../src/invoke/bind.ts';
import { engineUnderTest } from './enginesUnderTest.ts';
import { readParquet } from './readParquet.ts';
import type { WholeService } from './wholeService.ts';

/** A cell as text in one form for all formats; null for NULL. */
export type Cell = string | null;

export interface WayAnswer {
  /** That of the last answer. */
  readonly status: number;
  /** Those of the last answer. */
  readonly headers: Headers;
  /** Everything that the answers show, headers and metadata too, without what differs from call to call. */
  readonly shown: string;
  /** The rows, read back out of the format; null for an error, and for a format that has no rows. */
  readonly rows: readonly (readonly Cell[])[] | null;
}

export interface WayCall {
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** With another token than that of the administrator, `x-api-key`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A way to get the rows of a call. */
export interface Way {
  readonly title: string;
  /** Whether the way is a stream. Its endpoint must allow that (`letStream`). */
  readonly isStream?: true;
  ask(service: Service, call: WayCall): Promise<WayAnswer>;
}

/** JSON, which other tests use, for comparison. */
export const asJson: Way = {
  title: 'json',
  ask: async (service, call) => whole('json', await post(service, call, 'json')),
};

/**
 * Every format but JSON; pages, whose cursors come in `meta`, in `Link`, and in headers of their own; streams, and exports.
 * Tails have only new rows: see tailing.ts.
 */
export const everyWay: readonly Way[] = [
  ...formatNames
    .filter((name) => name !== 'json' && (name !== 'parquet' || engineUnderTest.states.parquet))
    .map(
      (name): Way => ({
        title: `the format ${name}`,
        ask: async (service, call) => whole(name, await post(service, call, name)),
      }),
    ),
  ...(engineUnderTest.states.pages
    ? ([
        { title: 'pages', ask: (service, call) => inPages(service, call, 'json') },
        { title: 'pages of csv', ask: (service, call) => inPages(service, call, 'csv') },
        { title: 'pages that are linked', ask: linkedPages },
      ] satisfies Way[])
    : []),
  ...(engineUnderTest.states.streams ? streamedFormats : []).map(
    (name): Way => ({
      title: `a stream of ${name}`,
      isStream: true,
      ask: (service, call) => stream(service, call, name),
    }),
  ),
  { title: 'an export, in every format', ask: exported },
];

/** Has endpoints allow streams. */
export async function letStream(service: Service, ids: readonly string[]): Promise<void> {
  for (const id of engineUnderTest.states.streams ? ids : []) {
    const { status } = await fetch(`${service.url}/api/endpoints/${id}`, {
      method: 'PATCH',
      headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true }),
    });
    expect(status).toBe(200);
  }
}

/** Rows of a page. Few, so that small answers have several. */
const pageRows = 5;
const pagesMax = 40;

type Service = Pick<WholeService, 'url' | 'adminToken'>;

interface Received {
  readonly response: Response;
  readonly body: Buffer;
}

async function received(answer: Promise<Response>): Promise<Received> {
  const response = await answer;
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

function post(
  { url, adminToken }: Service,
  { endpoint, parameters, headers }: WayCall,
  format: FormatName,
  page: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return received(
    fetch(`${url}/api/endpoints/query/${endpoint}`, {
      method: 'POST',
      headers: { 'x-api-key': adminToken, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...parameters, format, ...page }),
    }),
  );
}

async function whole(format: FormatName, { response, body }: Received): Promise<WayAnswer> {
  const { status, headers } = response;
  if (status !== 200) return { status, headers, rows: null, shown: shownOf(response, body.toString()) };
  const { rows, text } = await readers[format](body);
  return { status, headers, rows, shown: shownOf(response, text) };
}

/** Forwards to the last page. */
async function inPages(service: Service, call: WayCall, format: 'json' | 'csv'): Promise<WayAnswer> {
  const answers: WayAnswer[] = [];
  for (let page: Readonly<Record<string, string>> = { page_size: String(pageRows) }; ; ) {
    const answer = await post(service, call, format, page);
    answers.push(await whole(format, answer));
    const next =
      format === 'json'
        ? (JSON.parse(answer.body.toString()).meta?.next ?? null)
        : answer.response.headers.get('x-next-cursor');
    if (next === null || answers.length > pagesMax) return joined(answers);
    page = { cursor: next };
  }
}

/** Follows the header `Link` of NDJSON, as a program that knows no cursors does. */
async function linkedPages({ url, adminToken }: Service, call: WayCall) {
  const { endpoint, parameters, headers } = call;
  const path = `${url}/api/endpoints/query/${endpoint}`;
  const answers: WayAnswer[] = [];
  const first = new URLSearchParams({ ...parameters, format: 'ndjson', page_size: String(pageRows) });
  for (let target = `?${first}`; ; ) {
    const answer = await received(fetch(`${path}${target}`, { headers: { 'x-api-key': adminToken, ...headers } }));
    answers.push(await whole('ndjson', answer));
    const [, next] = /<([^>]*)>; rel="next"/.exec(answer.response.headers.get('link') ?? '') ?? [];
    if (next === undefined || answers.length > pagesMax) return joined(answers);
    target = next;
  }
}

/** A token has one stream, whose place may be free only a moment after its end. */
async function stream(service: Service, call: WayCall, format: FormatName): Promise<WayAnswer> {
  for (;;) {
    const answer = await post(service, call, format, { stream: 'true' }).catch((error: unknown) => {
      // A stream that fails after its beginning breaks the connection.
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (answer === null) return { status: 200, headers: new Headers(), rows: null, shown: 'broken off' };
    if (answer.response.status !== 503) return await whole(format, answer);
  }
}

/** Writes an export, reads it in every format, and removes it. */
async function exported(service: Service, call: WayCall): Promise<WayAnswer> {
  const headers = { 'x-api-key': service.adminToken, ...call.headers };
  const begun = await post(service, { ...call, headers: { ...headers, prefer: 'respond-async' } }, 'json');
  if (begun.response.status !== 202) return await whole('json', begun);
  const { id } = JSON.parse(begun.body.toString());
  const path = `${service.url}/api/exports/${id}`;
  const state = async () => (await received(fetch(path, { headers }))).body.toString();
  // Not `expect.poll`, which works only inside a test.
  await vi.waitFor(async () => expect(await state()).toMatch(/"state":"(?:complete|failed)"/), 60_000);
  const record = await state();
  const { error } = JSON.parse(record);
  const answers: WayAnswer[] = [];
  for (const format of error === null ? exportFormats : []) {
    if (format === 'parquet' && !engineUnderTest.states.parquet) continue;
    answers.push(await whole(format, await received(fetch(`${path}/data?format=${format}`, { headers }))));
  }
  await fetch(path, { method: 'DELETE', headers });
  const [first] = answers;
  const shown = [record, ...answers.map((each) => each.shown)]
    .join('\n')
    .replaceAll(id, 'EXPORT')
    .replaceAll(/"(EXPORT\.[\w.]+)\.\w+"/g, '"$1"');
  return {
    status: error?.status ?? 200,
    headers: first?.headers ?? begun.response.headers,
    rows: first?.rows ?? null,
    shown,
  };
}

function joined(answers: readonly WayAnswer[]): WayAnswer {
  const last = answers.at(-1);
  if (last === undefined || answers.length > pagesMax) throw new Error('the pages do not end');
  const rows = answers.every((each) => each.rows !== null) ? answers.flatMap((each) => each.rows ?? []) : null;
  return { ...last, rows, shown: answers.map(({ shown }) => shown).join('\n') };
}

const varyingHeaders: ReadonlySet<string> = new Set([
  'date',
  'x-request-id',
  'server-timing',
  'content-length',
  'ratelimit',
]);

/** Cursors are encrypted and differ each time. */
function shownOf({ status, headers }: Response, text: string): string {
  const lines = [...headers].filter(([name]) => !varyingHeaders.has(name)).map(([name, value]) => `${name}: ${value}`);
  const all = [String(status), ...lines, '', text].join('\n');
  return all
    .replaceAll(/"elapsed_ms":[\d.]+/g, '"elapsed_ms":0')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
    .replaceAll(/(?<=cursor=|-cursor: |"next":"|"prev":")[\w-]{100,}/g, 'CURSOR');
}

interface Read {
  readonly rows: WayAnswer['rows'];
  /** Everything in the body that a reader sees. */
  readonly text: string;
}

const plain = (body: Buffer, rows: Read['rows']): Read => ({ text: body.toString(), rows });

const readers: Readonly<Record<FormatName, (body: Buffer) => Read | Promise<Read>>> = {
  json: (body) => plain(body, membersOf((parseJson(body.toString()) as { readonly result: readonly object[] }).result)),
  ndjson: (body) => {
    const lines = body
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => parseJson(line) as object);
    return plain(body, membersOf(lines.slice(0, -1)));
  },
  csv: (body) => plain(body, csvRows(body.toString()).slice(1)),
  tsv: (body) => plain(body, tsvRows(body.toString()).slice(1)),
  parquet: async (body) => {
    const { columns, rows, metadata } = await readParquet(body);
    const parts = [...metadata.values(), JSON.stringify(columns), JSON.stringify(rows)];
    return { rows: rows.map((row) => row.map(cell)), text: parts.join('\n') };
  },
  markdown: (body) => plain(body, null),
  prometheus: (body) => plain(body, null),
  arrow: (body) => {
    const table = tableFromIPC(body);
    const rows = table.toArray().map((row: Iterable<[string, unknown]>) => [...row].map(([, value]) => cell(value)));
    const parts = [...table.schema.metadata.values(), ...table.schema.fields.map(String), JSON.stringify(rows)];
    return { rows: rows.length === table.numRows ? rows : null, text: parts.join('\n') };
  },
};

const membersOf = (rows: readonly object[]) => rows.map((row) => Object.values(row).map(cell));

/** The same text for a value, whether a format has a type for it or not. */
function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return writeJson(parseJson(JSON.stringify(value, exact)));
  const text = String(value);
  if (/^[[{]/.test(text)) {
    try {
      return writeJson(parseJson(text));
    } catch {
      return text;
    }
  }
  return /^-?\d+\.\d+(?:e[+-]?\d+)?$/i.test(text) ? String(Number(text)) : text;
}

const exact = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

function csvRows(text: string): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  for (const [, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? (bare === '' ? null : cell(bare)) : cell(quoted.replaceAll('""', '"')));
    if (end !== '\r\n') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function tsvRows(text: string): Cell[][] {
  const unescaped: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  const cellOf = (each: string) =>
    each === '\\N' ? null : cell(each.replaceAll(/\\([tnr\\])/g, (_, letter: string) => unescaped[letter] ?? ''));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').map(cellOf));
}
