/** The part that all generated clients share. It needs only `fetch`. */
export const clientRuntime = String.raw`
/** Any JSON value. Integers beyond 2^53 are bigints, so that no digit is lost. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [member: string]: JsonValue };

export interface LogmillOptions {
  /** Address of the service, such as https://logs.example.com. */
  readonly url: string;
  readonly token: string;
  /** An implementation of fetch to use instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * How often a call is repeated that got no answer, or one that says that it can succeed later (429, 502, 503, and 504 of a proxy).
   * Default 2, at most 10. Calls only read, so repeating one is safe.
   */
  readonly retries?: number | undefined;
  /** A call is not repeated if the service asks for a longer wait (Retry-After). Default 30. */
  readonly retryWaitMaxSeconds?: number | undefined;
}

export interface CallOptions {
  /** Redacts personal data in this answer. */
  readonly redactPii?: boolean | undefined;
  /** How fresh the rows must be, such as no-cache or max-age=60. */
  readonly cacheControl?: string | undefined;
  /**
   * Ends the call. It then rejects with the reason of the signal, not with a LogmillError: a DOMException named AbortError, one named
   * TimeoutError for AbortSignal.timeout(60_000), or whatever abort() was called with.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface PageOptions extends CallOptions {
  /** The most rows of a page. Default: as many as the endpoint allows. */
  readonly pageSize?: number | undefined;
  /** The page to begin with: meta.next of another one. Default: the first. */
  readonly cursor?: string | undefined;
}

/** Your own query over the tables of an endpoint, in GoogleSQL or LQL. */
export type OwnQuery = { readonly sql: string } | { readonly lql: string };

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string;
}

/** Metadata of the rows. */
export interface Meta {
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly row_count: number;
  /** Whether there are more rows than these. */
  readonly truncated: boolean;
  readonly truncated_by?: 'max_rows' | 'query_limit' | 'result_bytes';
  /** Only in pages: the cursor of the next one; null in the last. */
  readonly next?: string | null;
  /** Only in pages: the cursor of the previous one; null in the first. */
  readonly prev?: string | null;
  /** For each source that the query reads, the time before which events were removed. Absent if none were. */
  readonly data_begins?: Readonly<Record<string, string>>;
  readonly notices: readonly Notice[];
  readonly cache: { readonly outcome: string; readonly as_of: string };
  readonly redaction: { readonly applied: boolean; readonly counts: Readonly<Record<string, number>> };
  readonly query: { readonly elapsed_ms: number; readonly rows_scanned?: number };
  readonly request_id: string;
}

export interface Answer<Row> {
  readonly result: readonly Row[];
  readonly meta: Meta;
}

/**
 * All rows of a query, read in pages that show the data as it was when the first page was read. Iterate over it for the rows;
 * byPage has whole answers. It reads a page when it is needed, and each iteration begins anew.
 */
export class Pages<Row> implements AsyncIterable<Row> {
  readonly #options: PageOptions;
  readonly #read: (page: object) => Promise<Answer<Row>>;

  /** Made by a client. */
  constructor(options: PageOptions, read: (page: object) => Promise<Answer<Row>>) {
    this.#options = options;
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const { result } of this.byPage()) yield* result;
  }

  async *byPage(): AsyncGenerator<Answer<Row>, void, undefined> {
    const { pageSize, cursor: begin } = this.#options;
    for (let cursor = begin ?? null, isLast = false; !isLast; ) {
      const page = await this.#read({ page_size: pageSize ?? 'max', cursor });
      yield page;
      cursor = page.meta.next ?? null;
      isLast = cursor === null;
    }
  }
}

/**
 * A call that failed. code is an error code of the service, or one of the client: client.unreachable, client.unreadable (the answer is
 * not from Logmill), client.cut (an answer was cut off), client.rows_missing (a tail left out rows), client.int64_unsafe (an INT64 that
 * a number cannot hold) or client.endpoint_unknown (the client has no such endpoint). docs/reference/errors.md describes all of them.
 */
export class LogmillError extends Error {
  readonly code: string;
  /** HTTP status, or 0 if there was no answer. */
  readonly status: number;
  readonly errors: readonly Readonly<Record<string, JsonValue>>[];
  readonly requestId: string | undefined;
  /** The wait after which the same call may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    more: {
      readonly status?: number;
      readonly errors?: readonly Readonly<Record<string, JsonValue>>[];
      readonly requestId?: string | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'LogmillError';
    this.code = code;
    this.status = more.status ?? 0;
    this.errors = more.errors ?? [];
    this.requestId = more.requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

type ScalarValue = string | number | bigint | boolean | Date;
type ParameterValue = ScalarValue | readonly ScalarValue[] | null | undefined;

const written = (value: ScalarValue): string => (value instanceof Date ? value.toISOString() : String(value));

/** Where the rows of an endpoint have numbers: names of members, and * for each element of an array. */
interface NumberPaths {
  readonly int64: readonly (readonly string[])[];
  readonly float64: readonly (readonly string[])[];
}

const retriesOf = ({ retries }: LogmillOptions): number => Math.min(retries ?? 2, 10);

async function callEndpoint<Row>(
  service: LogmillOptions,
  path: string,
  parameters: object,
  options: CallOptions,
  numbers: NumberPaths,
): Promise<Answer<Row>> {
  return withRetries(service, options, () => callOnce(service, path, parameters, options, numbers));
}

async function withRetries<T>(
  service: LogmillOptions,
  options: CallOptions,
  call: () => Promise<T>,
  repeats: (error: LogmillError) => boolean = () => true,
): Promise<T> {
  const retries = retriesOf(service);
  for (let retry = 0; ; retry++) {
    try {
      return await call();
    } catch (error) {
      const mayRepeat = error instanceof LogmillError && retry < retries && repeats(error);
      const waitMs = mayRepeat ? waitBeforeRetry(error, retry) : undefined;
      if (waitMs === undefined || waitMs > (service.retryWaitMaxSeconds ?? 30) * 1000) throw error;
      await pause(waitMs, options.signal);
    }
  }
}

/** Milliseconds to wait before a call is repeated; undefined if it would fail again. */
function waitBeforeRetry({ code, status, retryAfterSeconds }: LogmillError, retry: number): number | undefined {
  // A 504 of the service says that the query takes too much, or was killed. That of a proxy is not readable.
  const isOfProxy = status === 504 && code === 'client.unreadable';
  if (code !== 'client.unreachable' && ![429, 502, 503].includes(status) && !isOfProxy) return undefined;
  // Not all callers at the same time.
  return retryAfterSeconds === undefined ? 250 * 2 ** retry * (1 + Math.random()) : retryAfterSeconds * 1000;
}

/** Rejects with the reason of the signal if it aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The parameters that have a value, as texts. */
function writtenParameters(parameters: object): (readonly [name: string, value: string | readonly string[]])[] {
  return Object.entries(parameters as Record<string, ParameterValue>).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    return [[name, typeof value === 'object' && !(value instanceof Date) ? value.map(written) : written(value)] as const];
  });
}

/** The parameters that have a value, as a URL has them. */
function queryOf(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of writtenParameters(parameters))
    for (const each of typeof value === 'string' ? [value] : value) query.append(name, each);
  return String(query);
}

function callHeaders(service: LogmillOptions, options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {
    'X-API-KEY': service.token,
    [headerPrefix + '-ENDPOINT-VALUES']: 'plain',
  };
  if (options.redactPii === true) headers[headerPrefix + '-ENDPOINT-REDACT-PII'] = 'true';
  if (options.cacheControl !== undefined) headers['Cache-Control'] = options.cacheControl;
  return headers;
}

/** Sends a call. */
function send(service: LogmillOptions, path: string, parameters: object, options: CallOptions, more: Record<string, string> = {}) {
  const headers = { ...callHeaders(service, options), 'Content-Type': 'application/json', ...more };
  const body = JSON.stringify(Object.fromEntries(writtenParameters(parameters)));
  return request(service, path, { method: 'POST', headers, body }, options.signal);
}

/** Sends a request. cut makes the error of an answer that is cut off. */
async function request(service: LogmillOptions, path: string, init: RequestInit, signal: AbortSignal | undefined) {
  // Whatever fetch makes of a signal, the caller gets its reason.
  const orReason = (error: () => LogmillError): unknown => (signal?.aborted === true ? signal.reason : error());
  const unreachable = (cause: unknown) =>
    orReason(() => new LogmillError('client.unreachable', service.url + ' cannot be reached.', { cause }));
  try {
    const url = service.url.replace(/\/+$/, '') + path;
    const response = await (service.fetch ?? fetch)(url, { ...init, signal: signal ?? null });
    const { status } = response;
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const text = () =>
      response.text().catch((cause: unknown) => {
        throw unreachable(cause);
      });
    const cut = (cause: unknown) =>
      orReason(() => new LogmillError('client.cut', 'The answer was cut off before its end.', { status, requestId, cause }));
    return { response, text, cut };
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** What a table says of an endpoint. Programs that were not compiled may name one that is not there. */
function ofEndpoint<Name extends string, T>(table: Readonly<Record<Name, T>>, endpoint: Name): T {
  if (Object.hasOwn(table, endpoint)) return table[endpoint];
  const names = Object.keys(table).join(', ');
  throw new LogmillError('client.endpoint_unknown', 'This client has no endpoint ' + endpoint + ' for such a call. It has ' + names + '.');
}

/** The error of an answer other than a 200. */
function refusalOf(text: string, { status, headers }: Response): LogmillError {
  const body = readJson(text, status) as {
    readonly code?: string;
    readonly errors?: readonly Readonly<Record<string, JsonValue>>[];
    readonly request_id?: string;
    readonly error?: { readonly message?: string };
  } | null;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new LogmillError(body?.code ?? 'client.unreadable', body?.error?.message ?? 'The service answered ' + status + '.', {
    status,
    errors: body?.errors ?? [],
    requestId: body?.request_id,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

async function callOnce<Row>(
  service: LogmillOptions,
  path: string,
  parameters: object,
  options: CallOptions,
  numbers: NumberPaths,
): Promise<Answer<Row>> {
  const sent = await send(service, path, parameters, options);
  const text = await sent.text();
  if (!sent.response.ok) throw refusalOf(text, sent.response);
  const { status } = sent.response;
  const body = readJson(text, status) as { readonly result?: readonly Row[]; readonly meta?: Meta } | null;
  if (body?.result === undefined || body.meta === undefined)
    throw new LogmillError('client.unreadable', 'The answer is not from Logmill.', { status });
  for (const row of body.result) withNumbers(row, numbers);
  return { result: body.result, meta: body.meta };
}

/** Converts the numbers of a row in place, and returns the row. */
function withNumbers<Row>(row: Row, numbers: NumberPaths): Row {
  for (const path of numbers.int64) convertAt(row, path, asInt64);
  for (const path of numbers.float64) convertAt(row, path, asFloat64);
  return row;
}

/** Like JSON.parse, except that an integer that a number cannot hold becomes a bigint. */
function readJson(text: string, status: number): JsonValue {
  // Random for each call, so that no text in a row can contain it.
  // Not randomUUID, which browsers have only on pages with TLS.
  const mark = 'int64:' + crypto.getRandomValues(new Uint32Array(4)).join('-') + ':';
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (part) =>
    /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? JSON.stringify(mark + part) : part,
  );
  try {
    return JSON.parse(marked, (_name, value: JsonValue) =>
      typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
    ) as JsonValue;
  } catch (cause) {
    throw new LogmillError('client.unreadable', 'The answer is not JSON.', { status, cause });
  }
}

/** Converts the numbers at the path to the type that rows declare. */
function convertAt(
  holder: unknown,
  path: readonly string[],
  convert: (value: unknown, name: string) => unknown,
): void {
  const [name, ...rest] = path;
  if (name === undefined || typeof holder !== 'object' || holder === null) return;
  const members = holder as Record<string, unknown>;
  for (const key of name === '*' && Array.isArray(holder) ? Object.keys(holder) : [name]) {
    if (rest.length > 0) convertAt(members[key], rest, convert);
    else members[key] = convert(members[key], key);
  }
}

/** A FLOAT64 of a row as a number. JSON has no NaN and no infinities, so these are texts there. */
function asFloat64(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value;
}
`.trim();

/** Code of `asInt64`, by the type chosen for INT64 columns. */
export const int64Readers = {
  number: `
/** An INT64 of a row as a number. Fails if a number cannot hold it, instead of rounding. */
function asInt64(value: unknown, name: string): unknown {
  if (typeof value !== 'bigint') return value;
  throw new LogmillError(
    'client.int64_unsafe',
    'The column ' + name + ' holds ' + value + ', which a number cannot hold. Generate the client with --int64 bigint.',
  );
}`.trim(),
  bigint: `
/** An INT64 of a row as a bigint. */
function asInt64(value: unknown, _name: string): unknown {
  return typeof value === 'number' ? BigInt(value) : value;
}`.trim(),
} as const;

/** The part that clients with streams share. */
export const streamRuntime = `
/** The last line of a stream. */
interface StreamEnd {
  readonly status: string;
  readonly meta?: Meta;
  readonly error?: { readonly code: string; readonly message: string };
  readonly request_id?: string;
}

/** Yields the rows of a call while they arrive. Throws a LogmillError unless the service says that they are complete. */
async function* streamEndpoint<Row>(
  service: LogmillOptions,
  path: string,
  parameters: object,
  options: CallOptions,
  numbers: NumberPaths,
): AsyncGenerator<Row, Meta> {
  const { response, cut } = await withRetries(service, options, async () => {
    const sent = await send(service, path, { ...parameters, stream: true, format: 'ndjson' }, options);
    if (!sent.response.ok) throw refusalOf(await sent.text(), sent.response);
    return sent;
  });
  const { status } = response;
  for await (const line of linesOf(response, cut)) {
    const record = readJson(line, status) as Row & { readonly '@logmill'?: StreamEnd };
    const end = record['@logmill'];
    if (end === undefined) {
      yield withNumbers(record, numbers) as Awaited<Row>;
      continue;
    }
    if (end.status === 'complete' && end.meta !== undefined) return end.meta;
    const { code = 'client.unreadable', message = 'The stream failed.' } = end.error ?? {};
    throw new LogmillError(code, message, { status, requestId: end.request_id });
  }
  throw cut(undefined);
}
`.trim();

/** The part that clients with streams or tails share. */
export const linesRuntime = String.raw`
/** Yields the lines of a body. If it says nothing for silentMsMax, it counts as broken. */
async function* linesOf(
  response: Response,
  cut: (cause: unknown) => unknown,
  silentMsMax?: number,
): AsyncGenerator<string, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const cancel = () => reader.cancel().catch(() => undefined);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const timer = silentMsMax === undefined ? undefined : setTimeout(cancel, silentMsMax);
      const { done, value } = await reader
        .read()
        .catch((cause: unknown) => {
          throw cut(cause);
        })
        .finally(() => clearTimeout(timer));
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Ends the query if the rows are not read to their end.
    await cancel();
  }
}
`.trim();
