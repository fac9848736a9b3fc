import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came, with its body as bytes. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Parameters of the URL in the order in which they came, decoded. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The statement, from the URL or the body. */
  readonly statement: string;
}

/** What the recorder answers: 200 without rows if absent. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface RequestRecorder {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Forgets the requests so far. */
  readonly clear: () => void;
  /** The text of all requests so far, for a comparison with a recorded file; see `requestsText`. */
  readonly text: (replacements?: Replacements) => string;
  readonly close: () => Promise<void>;
}

/** Names for texts that differ between runs, such as random ids. */
export type Replacements = readonly (readonly [pattern: RegExp | string, name: string])[];

/** Headers of the connection or the client library, which say nothing about what is asked of ClickHouse. */
const leftOut = new Set([
  'host',
  'connection',
  'user-agent',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'accept',
]);

/**
 * A server that records requests and answers from a script: for what the stand-in cannot run, such as CREATE USER, row policies,
 * ON CLUSTER and replicated tables. Compare `text()` with a recorded file, byte by byte:
 * `await expect(recorder.text()).toMatchFileSnapshot('recorded/createTables.txt')`.
 */
export async function startRequestRecorder(
  answer: (request: RecordedRequest) => ScriptedAnswer | undefined = () => undefined,
): Promise<RequestRecorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void recorded(request).then((own) => {
      if (own.path === '/ping') {
        response.end('Ok.\n');
        return;
      }
      requests.push(own);
      const { status = 200, headers = {}, body = '' } = answer(own) ?? {};
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    clear: () => {
      requests.length = 0;
    },
    text: (replacements) => requestsText(requests, replacements),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function recorded(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://localhost');
  const body = Buffer.concat(chunks);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (!leftOut.has(name) && value !== undefined) headers[name] = String(value);
  }
  return {
    method: request.method ?? '',
    path: url.pathname,
    parameters: [...url.searchParams],
    headers,
    body,
    statement: url.searchParams.get('query') ?? body.toString(),
  };
}

/** Requests as a text: each begins with a line of #, then its parameters and headers sorted by name, then its body. */
export function requestsText(requests: readonly RecordedRequest[], replacements: Replacements = []): string {
  const text = requests.map(requestText).join('\n');
  return replacements.reduce((replaced, [pattern, name]) => replaced.replaceAll(globalOf(pattern), name), text);
}

function requestText({ method, path, parameters, headers, body }: RecordedRequest): string {
  const lines = [`#### ${method} ${path}`];
  for (const [name, value] of parameters.toSorted(byName)) lines.push(`${name} = ${value}`);
  for (const [name, value] of Object.entries(headers).toSorted(byName)) lines.push(`${name}: ${value}`);
  return `${lines.join('\n')}\n\n${bodyText(body)}\n`;
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A body as it is if it is text, otherwise its bytes in lines of 32. */
function bodyText(body: Buffer): string {
  const text = body.toString();
  if (Buffer.from(text).equals(body) && !/\p{Cc}/u.test(text.replaceAll(/[\t\n]/g, ''))) return text;
  return (body.toString('hex').match(/.{1,64}/g) ?? []).join('\n');
}

function globalOf(pattern: RegExp | string): RegExp | string {
  if (typeof pattern === 'string' || pattern.global) return pattern;
  return new RegExp(pattern, `${pattern.flags}g`);
}
