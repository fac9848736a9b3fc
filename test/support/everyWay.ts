import { tableFromIPC } from 'apache-arrow';
import { parseJson } from '../../src/core/losslessJson.ts';
import { writeJson } from '../../src/core/writeJson.ts';
import { type FormatName, formatNames } from '../../src/formats/resultFormat.ts';
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
  ask(service: Pick<WholeService, 'url' | 'adminToken'>, call: WayCall): Promise<WayAnswer>;
}

/** JSON, which other tests use, for comparison. */
export const asJson: Way = {
  title: 'json',
  ask: async (service, call) => whole('json', await post(service, call, 'json')),
};

/** Every format but JSON, and pages, whose cursors come in `meta`, in `Link`, and in headers of their own. */
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
];

/** Rows of a page. Few, so that small answers have several. */
const pageRows = 5;
const pagesMax = 40;

interface Received {
  readonly response: Response;
  readonly body: Buffer;
}

async function received(answer: Promise<Response>): Promise<Received> {
  const response = await answer;
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

function post(
  { url, adminToken }: Pick<WholeService, 'url' | 'adminToken'>,
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
async function inPages(
  service: Pick<WholeService, 'url' | 'adminToken'>,
  call: WayCall,
  format: 'json' | 'csv',
): Promise<WayAnswer> {
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
async function linkedPages({ url, adminToken }: Pick<WholeService, 'url' | 'adminToken'>, call: WayCall) {
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
