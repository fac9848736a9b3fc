import { once } from 'node:events';
import {
  request as askServer,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of ClickHouse that a proxy has received whole. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** What a proxy does with an answer: passes on another one, or breaks the connection after this part of the body. */
export type Change =
  | { readonly kind: 'replace'; readonly with: (answer: ReceivedAnswer) => ReceivedAnswer }
  | { readonly kind: 'break'; readonly after: (body: Buffer) => number };

/** An HTTP proxy before ClickHouse that changes the answers to SELECTs. */
export interface ChangingProxy {
  readonly url: string;
  /** Null: every answer is passed on as it is. */
  change: Change | null;
  /** Answers that were changed. */
  readonly changed: number;
  readonly close: () => Promise<void>;
}

export async function startChangingProxy(target: string): Promise<ChangingProxy> {
  const state: { change: Change | null; changed: number } = { change: null, changed: 0 };
  const server = createServer((request, response) => {
    void answered(request, response, target, state).catch(() => response.socket?.resetAndDestroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get change() {
      return state.change;
    },
    set change(change) {
      state.change = change;
    },
    get changed() {
      return state.changed;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  state: { change: Change | null; changed: number },
): Promise<void> {
  const body = await whole(request);
  const { method = 'GET', url = '/', headers } = request;
  const { host: _, ...others } = headers;
  const asked = askServer(new URL(url, target), { method, headers: others });
  asked.end(body);
  const [received] = (await once(asked, 'response')) as [IncomingMessage];
  const { 'content-length': __, 'transfer-encoding': ___, ...kept } = received.headers;
  const answer: ReceivedAnswer = { status: received.statusCode ?? 0, headers: kept, body: await whole(received) };
  const change = body.toString('latin1', 0, 7) === 'SELECT ' ? state.change : null;
  if (change === null) return send(response, answer);
  state.changed += 1;
  if (change.kind === 'replace') return send(response, change.with(answer));
  response.writeHead(answer.status, answer.headers).flushHeaders();
  response.write(answer.body.subarray(0, change.after(answer.body)), () => response.socket?.destroy());
}

function send(response: ServerResponse, { status, headers, body }: ReceivedAnswer): void {
  response.writeHead(status, headers).end(body);
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
