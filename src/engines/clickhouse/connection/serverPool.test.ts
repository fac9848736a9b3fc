import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openPool, type ServerPool } from './serverPool.ts';

const opened: { readonly server: Server; readonly sockets: ReadonlySet<Socket>; readonly pool: ServerPool }[] = [];
afterEach(async () => {
  for (const { server, sockets, pool } of opened.splice(0)) {
    await pool.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** Connections to a server that says nothing by itself. `asked`: what each request came on, in order. */
async function silentServer(protocol = 'http') {
  const sockets = new Set<Socket>();
  const asked: Socket[] = [];
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', () => server.emit('asked', asked.push(socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = openPool(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
  opened.push({ server, sockets, pool });
  const post = async (signal = new AbortController().signal) =>
    await pool.post({ parameters: new URLSearchParams(), body: 'SELECT 1', signal });
  const untilAsked = async (count: number) => {
    while (asked.length < count) await once(server, 'asked');
  };
  return { server, sockets, asked, post, untilAsked };
}

const answer = (socket: Socket | undefined, header = '') =>
  socket?.write(`HTTP/1.1 200 OK\r\n${header}Content-Length: 2\r\n\r\n1\n`);
const texts = async (answers: readonly Promise<{ readonly body: AsyncIterable<unknown> }>[]) =>
  await Promise.all(
    answers.map(async (each) => {
      let text = '';
      for await (const chunk of (await each).body) text += String(chunk);
      return text;
    }),
  );

it('gives up a request at once that waits for a connection, and then sends the next one', async () => {
  const { sockets, asked, post, untilAsked } = await silentServer();
  const first = texts(Array.from({ length: 64 }, () => post()));
  await untilAsked(64);
  const givenUp = Array.from({ length: 20 }, () => new AbortController());
  const waiting = givenUp.map(({ signal }) => post(signal));
  const last = texts([post()]);
  for (const each of givenUp) each.abort(new Error('given up'));
  for (const each of waiting) await expect(each).rejects.toThrow('given up');
  for (const socket of asked.slice()) answer(socket);
  expect(new Set(await first)).toEqual(new Set(['1\n']));
  await untilAsked(65);
  answer(asked[64]);
  expect(await last).toEqual(['1\n']);
  // Those that were given up were not sent, and have cost no connection.
  expect([asked.length, sockets.size]).toEqual([65, 64]);
});

it('gives up a request at once whose connection is not there yet', async () => {
  const { server, post } = await silentServer('https');
  const givesUp = new AbortController();
  const asked = post(givesUp.signal);
  await once(server, 'asked');
  givesUp.abort(new Error('given up'));
  await expect(asked).rejects.toThrow('given up');
});

it('closes a connection that nobody uses for a minute, even if the server would keep it', async () => {
  const { asked, post, untilAsked } = await silentServer();
  const first = texts([post()]);
  await untilAsked(1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    answer(asked[0], 'Keep-Alive: timeout=600\r\n');
    expect(await first).toEqual(['1\n']);
    // The connection is unused from the next turn on.
    await new Promise((resolve) => setImmediate(resolve));
    const closed = once(asked[0] as Socket, 'close');
    vi.advanceTimersByTime(60_000);
    await closed;
  } finally {
    vi.useRealTimers();
  }
});
