/** The part of a generated client that is the same in all of them. It needs `fetch` and nothing else. */
export const clientRuntime = String.raw`
/** Any JSON value. An integer beyond 2^53 is a bigint, so that no digit is lost. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [member: string]: JsonValue };

export interface LogmillOptions {
  /** Address of the service, such as https://logs.example.com. */
  readonly url: string;
  readonly token: string;
  /** Another implementation of fetch. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Redacts personal data in this answer. */
  readonly redactPii?: boolean | undefined;
  /** How fresh rows must be, such as no-cache or max-age=60. */
  readonly cacheControl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A query of your own over the tables of an endpoint, in GoogleSQL or in LQL. */
export type OwnQuery = { readonly sql: string } | { readonly lql: string };

export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string;
}

/** What the service says of the rows. */
export interface Meta {
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly row_count: number;
  /** Whether there are more rows than these. */
  readonly truncated: boolean;
  readonly truncated_by?: 'max_rows' | 'query_limit' | 'result_bytes';
  /** By source that the query reads: what was before was removed. Absent where nothing was. */
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
 * A call that gave no rows. code is one of the service (docs/reference/errors.md), or
 * client.unreachable, client.unreadable (the answer is not from a Logmill) or client.int64_unsafe
 * (an INT64 that a number cannot hold).
 */
export class LogmillError extends Error {
  readonly code: string;
  /** HTTP status, or 0 where there was no answer. */
  readonly status: number;
  readonly errors: readonly Readonly<Record<string, JsonValue>>[];
  readonly requestId: string | undefined;
  /** After which the same call may succeed. */
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

type ParameterValue = string | number | bigint | boolean | Date | null | undefined;

async function callEndpoint<Row>(
  service: LogmillOptions,
  path: string,
  parameters: object,
  options: CallOptions,
  int64Paths: readonly (readonly string[])[],
): Promise<Answer<Row>> {
  const entries = Object.entries(parameters as Record<string, ParameterValue>).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  const headers: Record<string, string> = {
    'X-API-KEY': service.token,
    'Content-Type': 'application/json',
    [headerPrefix + '-ENDPOINT-VALUES']: 'plain',
  };
  if (options.redactPii === true) headers[headerPrefix + '-ENDPOINT-REDACT-PII'] = 'true';
  if (options.cacheControl !== undefined) headers['Cache-Control'] = options.cacheControl;
  let response: Response;
  let text: string;
  try {
    response = await (service.fetch ?? fetch)(service.url.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(Object.fromEntries(entries)),
      signal: options.signal ?? null,
    });
    text = await response.text();
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause;
    throw new LogmillError('client.unreachable', service.url + ' cannot be reached.', { cause });
  }
  const { status } = response;
  const body = readJson(text, status) as {
    readonly result?: readonly Row[];
    readonly meta?: Meta;
    readonly code?: string;
    readonly errors?: readonly Readonly<Record<string, JsonValue>>[];
    readonly request_id?: string;
    readonly error?: { readonly message?: string };
  } | null;
  if (!response.ok) {
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new LogmillError(body?.code ?? 'client.unreadable', body?.error?.message ?? 'The service answered ' + status + '.', {
      status,
      errors: body?.errors ?? [],
      requestId: body?.request_id,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
  }
  if (body?.result === undefined || body.meta === undefined)
    throw new LogmillError('client.unreadable', 'The answer is not from a Logmill.', { status });
  for (const row of body.result) for (const path of int64Paths) convertAt(row, path);
  return { result: body.result, meta: body.meta };
}

/** As JSON.parse, but an integer that a number cannot hold becomes a bigint. */
function readJson(text: string, status: number): JsonValue {
  // Of this call only, so that no text of a row can look like it.
  const mark = 'int64:' + crypto.randomUUID() + ':';
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

/** Gives the integers at the path the type that rows promise. */
function convertAt(holder: unknown, path: readonly string[]): void {
  const [name, ...rest] = path;
  if (name === undefined || typeof holder !== 'object' || holder === null) return;
  const members = holder as Record<string, unknown>;
  for (const key of name === '*' && Array.isArray(holder) ? Object.keys(holder) : [name]) {
    if (rest.length > 0) convertAt(members[key], rest);
    else members[key] = asInt64(members[key], key);
  }
}
`.trim();

/** What `convertAt` makes of an integer, by the type that was chosen for them. */
export const int64Readers = {
  number: `
/** An INT64 of a row; one that a number cannot hold is an error, never another number. */
function asInt64(value: unknown, name: string): unknown {
  if (typeof value !== 'bigint') return value;
  throw new LogmillError(
    'client.int64_unsafe',
    'The column ' + name + ' holds ' + value + ', which a number cannot hold. Make the client with --int64 bigint.',
  );
}`.trim(),
  bigint: `
/** An INT64 of a row as a bigint. */
function asInt64(value: unknown, _name: string): unknown {
  return typeof value === 'number' ? BigInt(value) : value;
}`.trim(),
} as const;
