import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { requestHeaders } from './headerTable.ts';
import { sessionPairs } from './session/sessionCookie.ts';

/**
 * How a header counts in the identity of a request. `compared`: by its value; `secret`: by its hash, so that no secret
 * stays in memory; `eachCall`: not at all, because every call reads it again; `body`: the request has a body and
 * therefore no identity; `cookie`: the same for a session, and other cookies are dropped.
 */
type Part = 'compared' | 'secret' | 'eachCall' | 'body' | 'cookie';

interface DeclaredHeader {
  readonly name: string;
  readonly part: Part;
}

/** Headers that are not `compared`. A header that is added to the table is compared by default. */
const otherParts: Readonly<Record<string, Exclude<Part, 'compared'>>> = {
  'x-api-key': 'secret',
  authorization: 'secret',
  'content-length': 'body',
  'transfer-encoding': 'body',
  'x-request-id': 'eachCall',
  traceparent: 'eachCall',
  'x-forwarded-for': 'eachCall',
  cookie: 'cookie',
  // Only requests with a session depend on these.
  'x-logmill-console': 'eachCall',
  'sec-fetch-site': 'eachCall',
  'x-forwarded-host': 'eachCall',
  'x-forwarded-proto': 'eachCall',
};

/** Longer requests are not remembered. Characters. */
const identityCharsMax = 8192;
const linesMax = limits.requestHeaderLinesMax;

/** The result of reading a request's head. */
interface RequestHead {
  /**
   * Equal for two requests only if nothing can make their answers differ except `eachCall` headers, the time and the
   * peer address. It joins its parts with line ends, which no part can contain. Undefined for requests with a body, for
   * methods other than GET and HEAD, for versions other than HTTP/1.1, and for long requests.
   */
  readonly identity: string | undefined;
  readonly refusal: ServiceError | undefined;
}

/**
 * Reduces the head of each request to the headers of `headerTable.ts`. Headers and identity come from one pass over the
 * received lines, so the identity covers everything that an answer could depend on (decision 45).
 */
export class RequestHeads {
  /** By name, in lower case and as in the table. */
  readonly #declared: ReadonlyMap<string, DeclaredHeader>;
  readonly #read = new WeakMap<IncomingMessage, RequestHead>();

  /** `more`: further headers that routes read. */
  constructor(headerPrefix: string, more: readonly string[] = []) {
    this.#declared = new Map(
      [...requestHeaders(headerPrefix).map((entry) => entry.name), ...more].flatMap((given) => {
        const name = given.toLowerCase();
        const declared: DeclaredHeader = { name, part: otherParts[name] ?? 'compared' };
        return [
          [name, declared],
          [given, declared],
        ] as const;
      }),
    );
  }

  /**
   * Reads the head of a request. Call it before anything else reads the headers. Afterwards the request has only the
   * headers of the table and those of `more`, with repeated values joined by commas. A request with too many lines has none, and
   * `refusalOf` returns its error. Node must not drop lines itself (`maxHeadersCount`).
   */
  read(request: IncomingMessage): void {
    const { method, url, httpVersion, rawHeaders: lines } = request;
    const headers: Record<string, string> = {};
    const rawHeaders: string[] = [];
    const count = lines.length / 2;
    let isRepeatable = (method === 'GET' || method === 'HEAD') && url !== undefined && httpVersion === '1.1';
    let identity = `${method} ${url}`;
    if (count <= linesMax) {
      for (let i = 0; i + 1 < lines.length; i += 2) {
        const name = lines[i] ?? '';
        const declared = this.#find(name);
        if (declared === undefined) continue;
        const isCookie = declared.part === 'cookie';
        const value = isCookie ? sessionPairs(lines[i + 1] ?? '') : (lines[i + 1] ?? '');
        if (isCookie && value === '') continue;
        rawHeaders.push(name, value);
        const before = headers[declared.name];
        headers[declared.name] = before === undefined ? value : `${before}${isCookie ? ';' : ','} ${value}`;
        if (declared.part === 'eachCall') continue;
        if (declared.part === 'body' || isCookie) isRepeatable = false;
        if (isRepeatable)
          identity += `\n${declared.name}:${declared.part === 'secret' ? hash('sha256', value) : value}`;
      }
    }
    request.headers = headers;
    request.rawHeaders = rawHeaders;
    const refusal = count > linesMax ? tooManyLines(count) : undefined;
    const isKept = isRepeatable && refusal === undefined && identity.length <= identityCharsMax;
    this.#read.set(request, { identity: isKept ? identity : undefined, refusal });
  }

  /** The identity of a request that was read; undefined if its answer must not be remembered. */
  identityOf(request: IncomingMessage): string | undefined {
    return this.#read.get(request)?.identity;
  }

  /** The error of a request that must be refused for its head. */
  refusalOf(request: IncomingMessage): ServiceError | undefined {
    return this.#read.get(request)?.refusal;
  }

  #find(name: string): DeclaredHeader | undefined {
    return this.#declared.get(name) ?? this.#declared.get(name.toLowerCase());
  }
}

function tooManyLines(count: number): ServiceError {
  return new ServiceError(
    'request.head_too_large',
    `The request has ${count} header lines; at most ${linesMax} are allowed.`,
  );
}
