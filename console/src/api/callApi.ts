import { isObject, type Json, parseLossless } from './losslessJson.ts';
import type { Answers, Problem } from './types.ts';

/** A call that failed: the problem document of the service, or what happened in place of an answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;
  /** Seconds after which the same call may succeed, as the service says; null if it does not. */
  readonly retryAfter: number | null;

  constructor(status: number, message: string, problem: Partial<Problem> = {}, retryAfter: number | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  get code(): string {
    return this.problem.code ?? '';
  }
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  /** Null without a body; a text if it is not JSON. */
  readonly body: Json;
  readonly headers: Headers;
}

/** Address of the service: the console is served one folder below it. */
export const serviceBase = (): string => new URL('..', location.href).href;

/**
 * Calls the service with the cookie of the session. `base` is given by workers, which have an address of their own.
 * Throws an ApiError for every answer but a 2xx.
 */
export async function callApi(path: string, call: ApiCall = {}, base = serviceBase()): Promise<ApiAnswer> {
  const { response, content: text } = await answerTo(path, call, base, (each) => each.text());
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { body: text === '' ? null : isJson ? parseLossless(text) : text, headers: response.headers };
}

/** The body of the answer to an operation. Its type is only what the OpenAPI document promises. Throws like `callApi`. */
export async function bodyOf<Operation extends keyof Answers>(
  path: string,
  call: ApiCall = {},
): Promise<Answers[Operation]> {
  return (await callApi(path, call)).body as unknown as Answers[Operation];
}

/** The answer to a call as a file: its bytes are not read. Throws like `callApi`. */
export async function callForFile(path: string, call: ApiCall): Promise<Blob> {
  return (await answerTo(path, call, serviceBase(), (each) => each.blob())).content;
}

async function answerTo<Content>(
  path: string,
  { method = 'GET', query = {}, body, headers = {}, signal }: ApiCall,
  base: string,
  contentOf: (response: Response) => Promise<Content>,
): Promise<{ readonly response: Response; readonly content: Content }> {
  const url = new URL(path.replace(/^\//, ''), base);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        'X-Logmill-Console': '1',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : writeJson(body),
      signal: signal ?? null,
    });
    if (response.ok) return { response, content: await contentOf(response) };
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiError(0, 'The service does not answer. Is it running?');
  }
  throw errorOf(response, text);
}

/** One line of JSON. Bigints are written with all their digits. */
function writeJson(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}:${writeJson(each)}`)
    .join(',')}}`;
}

function errorOf({ status, headers }: Response, text: string): ApiError {
  let problem: Partial<Problem> = {};
  try {
    const read: Json = JSON.parse(text);
    if (isObject(read)) problem = read;
  } catch {
    // An answer of a proxy, for example.
  }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const words = { 502: 'cannot be reached behind its proxy', 503: 'is not available', 504: 'took too long to answer' };
  const happened = words[status as keyof typeof words] ?? 'gave no reason';
  return new ApiError(
    status,
    problem.detail ?? `The service ${happened} (${status}).`,
    problem,
    Number.isFinite(seconds) ? seconds : null,
  );
}
