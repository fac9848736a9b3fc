import type { IncomingHttpHeaders } from 'node:http';
import { requestHeaders, responseHeaders } from './headerTable.ts';

/** Seconds that a browser may go without asking again. */
const preflightAgeSeconds = 600;

/** Headers that scripts can neither send nor need to be allowed, or see without permission. */
const notOfScripts = new Set([
  'origin',
  'host',
  'accept-encoding',
  'access-control-request-method',
  'content-length',
  'transfer-encoding',
  'x-forwarded-for',
]);

/**
 * Which pages of other origins may read answers (Fetch Standard, "CORS protocol"). Tokens travel in
 * headers that a page must set itself, so credentials of the browser are never allowed.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #allowedHeaders: string;
  readonly #exposedHeaders: string;

  /** Exact origins such as `https://logs.example.com`, or `*` for all; none: no page of another origin. */
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

  /** What an answer to this request carries, an error too; nothing for an origin that is not allowed. */
  answerHeaders({ origin }: IncomingHttpHeaders): Readonly<Record<string, string>> {
    if (origin === undefined) return {};
    const allowed = this.#origins.has('*') ? '*' : this.#origins.has(origin) ? origin : undefined;
    if (allowed === undefined) return {};
    return { 'access-control-allow-origin': allowed, 'access-control-expose-headers': this.#exposedHeaders };
  }

  /** What the answer to a preflight carries besides. */
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
