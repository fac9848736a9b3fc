import type { IncomingHttpHeaders } from 'node:http';
import { requestHeaders, responseHeaders } from './headerTable.ts';

/** Seconds that a browser may reuse the answer to a preflight. */
const preflightAgeSeconds = 600;

/** Headers that scripts cannot send, or may send without permission, and those of the console, which is no other origin. */
const notOfScripts: ReadonlySet<string> = new Set([
  'origin',
  'host',
  'accept-encoding',
  'access-control-request-method',
  'content-length',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'cookie',
  'sec-fetch-site',
  'x-logmill-console',
]);

/**
 * Decides which pages of other origins may read answers (Fetch Standard, "CORS protocol"). A page must set the token
 * in a header itself, so credentials of the browser are never allowed.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #allowedHeaders: string;
  readonly #exposedHeaders: string;

  /** `origins`: exact origins such as `https://logs.example.com`, or `*` for all. Empty allows none. */
  constructor(origins: readonly string[], headerPrefix: string) {
    this.#origins = new Set(origins);
    this.#allowedHeaders = requestHeaders(headerPrefix)
      .map(({ name }) => name)
      .filter((name) => !notOfScripts.has(name.toLowerCase()))
      .join(', ');
    this.#exposedHeaders = responseHeaders
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('Access-Control-'))
      .join(', ');
  }

  /** The CORS headers of any answer, including errors. Empty if the origin is not allowed. */
  answerHeaders({ origin }: IncomingHttpHeaders): Readonly<Record<string, string>> {
    if (origin === undefined) return {};
    const allowed = this.#origins.has('*') ? '*' : this.#origins.has(origin) ? origin : undefined;
    if (allowed === undefined) return {};
    return { 'access-control-allow-origin': allowed, 'access-control-expose-headers': this.#exposedHeaders };
  }

  /** The additional headers of the answer to a preflight. */
  preflightHeaders(headers: IncomingHttpHeaders, methods: readonly string[]): Readonly<Record<string, string>> {
    const isPreflight = headers['access-control-request-method'] !== undefined;
    if (!isPreflight || Object.keys(this.answerHeaders(headers)).length === 0) return {};
    return {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': this.#allowedHeaders,
      'access-control-max-age': String(preflightAgeSeconds),
    };
  }
}
