import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { requestHeaders } from './headerTable.ts';

/**
 * `compared`: as it stands; `secret`: by its hash, so that no secret stays in memory; `eachCall`: not, as it
 * is read again for every call; `body`: a request with it has a body or something like one.
 */
type Part = 'compared' | 'secret' | 'eachCall' | 'body';

interface DeclaredHeader {
  readonly name: string;
  readonly part: Part;
}

/** What is compared of them other than as it stands; whatever comes into the table is compared. */
const otherParts: Readonly<Record<string, Exclude<Part, 'compared'>>> = {
  'x-api-key': 'secret',
  authorization: 'secret',
  'content-length': 'body',
  'transfer-encoding': 'body',
  'x-request-id': 'eachCall',
  traceparent: 'eachCall',
  'x-forwarded-for': 'eachCall',
};

/** A longer request is not worth remembering. Characters. */
const identityCharsMax = 8192;
const linesMax = limits.requestHeaderLinesMax;

/** What was made of a request's head, once. */
interface RequestHead {
  /**
   * A text that two requests without a body have in common only where nothing but the headers of `eachCall`,
   * the time and the address of the peer can make their answers differ. Undefined for other requests, and for
   * those that are rare. Neither a method nor a target nor a header can hold a line end.
   */
  readonly identity: string | undefined;
  readonly refusal: ServiceError | undefined;
}

/**
 * What of a request's head the service can know: the headers of `headerTable.ts` and no others. Headers and identity
 * come from one reading of the lines as they were received, so that an identity leaves out nothing that an answer
 * could depend on (decision 45).
 */
export class RequestHeads {
  /** By their names in lower case and as they are written in the table. */
  readonly #declared: ReadonlyMap<string, DeclaredHeader>;
  readonly #read = new WeakMap<IncomingMessage, RequestHead>();

  constructor(headerPrefix: string) {
    this.#declared = new Map(
      requestHeaders(headerPrefix).flatMap((entry) => {
        const name = entry.name.toLowerCase();
        const declared: DeclaredHeader = { name, part: otherParts[name] ?? 'compared' };
        return [
          [name, declared],
          [entry.name, declared],
        ] as const;
      }),
    );
  }

  /**
   * Reads the head of a request, before anything else does. From then on the request has the headers of the table and
   * no others; the values of one that stands several times are joined by commas. One with too many lines has none:
   * it is to be refused (`refusalOf`). The server must not cut the lines itself (`maxHeadersCount`).
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
        const value = lines[i + 1] ?? '';
        rawHeaders.push(name, value);
        const before = headers[declared.name];
        headers[declared.name] = before === undefined ? value : `${before}, ${value}`;
        if (declared.part === 'eachCall') continue;
        if (declared.part === 'body') isRepeatable = false;
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

  /** What the answer to a request that was read depends on; undefined for one that is not to be remembered. */
  identityOf(request: IncomingMessage): string | undefined {
    return this.#read.get(request)?.identity;
  }

  /** Why a request that was read is not to be looked at any further. */
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
    `The request has ${count} header lines; at most ${linesMax} are accepted. Send fewer.`,
  );
}
