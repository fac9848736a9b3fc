import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
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

/**
 * What of a request's head the service can know: the headers of `headerTable.ts` and no others. So an
 * identity that is made of them leaves out nothing that an answer could depend on (decision 45).
 */
export class RequestHeads {
  /** By their names in lower case and as they are written in the table. */
  readonly #declared: ReadonlyMap<string, DeclaredHeader>;

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

  /** Takes away every header that is not in the table, so that nothing can come to depend on it. */
  keepDeclared(request: IncomingMessage): void {
    const headers: IncomingHttpHeaders = {};
    for (const [name, value] of Object.entries(request.headers)) if (this.#declared.has(name)) headers[name] = value;
    const rawHeaders: string[] = [];
    for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
      const [name = '', value = ''] = [request.rawHeaders[i], request.rawHeaders[i + 1]];
      if (this.#find(name) !== undefined) rawHeaders.push(name, value);
    }
    request.headers = headers;
    request.rawHeaders = rawHeaders;
  }

  /**
   * A text that two requests without a body have in common only where nothing but the headers of `eachCall`,
   * the time and the address of the peer can make their answers differ. Undefined for other requests, and for
   * those that are rare. Neither a method nor a target nor a header can hold a line end.
   */
  identityOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string | undefined {
    if ((method !== 'GET' && method !== 'HEAD') || url === undefined || httpVersion !== '1.1') return undefined;
    let identity = `${method} ${url}`;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const declared = this.#find(rawHeaders[i] ?? '');
      if (declared === undefined || declared.part === 'eachCall') continue;
      if (declared.part === 'body') return undefined;
      const value = rawHeaders[i + 1] ?? '';
      identity += `\n${declared.name}:${declared.part === 'secret' ? hash('sha256', value) : value}`;
    }
    return identity.length > identityCharsMax ? undefined : identity;
  }

  #find(name: string): DeclaredHeader | undefined {
    return this.#declared.get(name) ?? this.#declared.get(name.toLowerCase());
  }
}
