import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { Connections } from './connections.ts';

it('reads no more than a packet of pipelined requests until some are answered, and answers each in turn', async () => {
  const connections = new Connections();
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
