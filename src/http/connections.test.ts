import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ManualClock, systemClock } from '../core/clock.ts';
import { ConnectionPlaces } from '../core/connectionPlaces.ts';
import { Connections } from './connections.ts';

it('reads no more than a packet of pipelined requests until some are answered, and answers each in turn', async () => {
  const connections = new Connections(new ConnectionPlaces(systemClock, 10, 1000), () => undefined);
  const open: ServerResponse[] = [];
  let received = 0;
  const server = createServer((request, response) => {
    connections.requestBegan(request, response);
    received++;
    open.push(response);
  });
  server.on('connection', (socket) => connections.opened(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const requests = 10_000;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answers = '';
  client.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1');
  });
  for (let n = 0; n < requests; n++) client.write(`GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`);

  // Two thousand such requests fit into a packet of the operating system.
  await expect.poll(() => received).toBeGreaterThan(16);
  for (let round = 0; round < 100; round++) await new Promise((resolve) => setImmediate(resolve));
  expect(received).toBeLessThan(6_000);

  const answerAll = setInterval(() => {
    for (const response of open.splice(0)) response.end('ok');
  }, 1);
  await expect.poll(() => answers.split('HTTP/1.1 200 OK').length - 1).toBe(requests);
  clearInterval(answerAll);
  client.destroy();
  server.close();
});

it('closes a connection that waits for no answer if there are too many', async () => {
  const clock = new ManualClock(0);
  let closed = 0;
  const connections = new Connections(new ConnectionPlaces(clock, 3, 1000), () => void closed++);
  const open: ServerResponse[] = [];
  let accepted = 0;
  const server = createServer((request, response) => {
    connections.requestBegan(request, response);
    open.push(response);
  });
  server.on('connection', (socket) => {
    accepted++;
    connections.opened(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const clients: Socket[] = [];
  const client = async (localAddress: string, sent = '') => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined).resume();
    if (sent !== '') socket.write(sent);
    clients.push(socket);
    const [before, requests] = [accepted, open.length];
    await expect.poll(() => accepted > before && (sent === '' || open.length > requests)).toBe(true);
    return socket;
  };

  const waiting = await client('127.0.0.1', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const incomplete = await client('127.0.0.1', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
  const idle = await client('127.0.0.1');
  const other = await client('127.0.0.2');
  await expect.poll(() => incomplete.closed).toBe(true);
  // No address holds two more than this one any more, and none is idle for long.
  const refused = await client('127.0.0.2');
  await expect.poll(() => refused.closed).toBe(true);
  clock.advanceMs(1000);
  await client('127.0.0.2');
  await expect.poll(() => idle.closed).toBe(true);
  expect([waiting.closed, other.closed, closed]).toEqual([false, false, 3]);
  for (const each of clients) each.destroy();
  server.close();
});
