import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startExampleService } from './exampleService.ts';

const path = '/api/endpoints/query/example.rows';
const head = (method: string, project: string) =>
  `${method} ${path}?project=${project} HTTP/1.1\r\nHost: x\r\nX-API-KEY: query-token\r\n`;
const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** A connection on which bytes are sent, and what has come back. */
function connected(service: Awaited<ReturnType<typeof startExampleService>>) {
  const socket = connect(service.port, '127.0.0.1');
  let answers = '';
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString();
  });
  socket.on('close', () => {
    isClosed = true;
  });
  return {
    socket,
    answers: () => answers,
    isClosed: () => isClosed,
  };
}

/** Resolves when a request that begins now has been given up, and so every one that is older. */
async function timesOut(service: Awaited<ReturnType<typeof startExampleService>>) {
  const client = connected(service);
  client.socket.write('GET /livez HTTP/1.1\r\nHo');
  await expect.poll(() => client.isClosed()).toBe(true);
}

it.each([
  ['no HTTP', 'NONSENSE\r\n\r\n'],
  ['a body that is no chunks', `${head('POST', 'p')}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
])('%s behind a request is refused after that has been answered', async (_, broken) => {
  const service = await startExampleService();
  const client = connected(service);
  client.socket.write(`${head('GET', 'hold')}\r\n${head('GET', 'p')}\r\n${broken}`);
  await expect.poll(() => service.engine.runs).toHaveLength(1);
  expect(client.answers()).toBe('');
  service.engine.releaseAll();
  await expect.poll(() => client.isClosed()).toBe(true);
  expect(statuses(client.answers())).toEqual([200, 200, 400]);
  await service.server.close();
});

it('a request that was refused before its body was read is answered once, whatever its body is', async () => {
  const service = await startExampleService();
  const client = connected(service);
  client.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await expect.poll(() => statuses(client.answers())).toEqual([401]);
  client.socket.write('zz\r\n');
  await expect.poll(() => client.isClosed()).toBe(true);
  expect(statuses(client.answers())).toEqual([401]);
  await service.server.close();
});

it('a body that could not be read for the answers before it has its time after them', async () => {
  // Half a megabyte is to be read in that time, also by a busy machine.
  const service = await startExampleService({ requestTimeoutMs: 2000 });
  const client = connected(service);
  const body = JSON.stringify({ note: 'x'.repeat(500_000) });
  client.socket.write(
    `${head('GET', 'hold')}\r\n${head('POST', 'p')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => service.engine.runs).toHaveLength(1);
  await timesOut(service);
  expect(client.answers()).toBe('');
  service.engine.releaseAll();
  await expect.poll(() => statuses(client.answers())).toEqual([200, 200]);
  client.socket.destroy();
  await service.server.close();
});

it('one that does not come to its end after the answers before it is given up', async () => {
  const service = await startExampleService({ requestTimeoutMs: 100 });
  const client = connected(service);
  client.socket.write(`${head('GET', 'hold')}\r\n${head('POST', 'p')}Content-Length: 9\r\n\r\n{`);
  await expect.poll(() => service.engine.runs).toHaveLength(1);
  await timesOut(service);
  service.engine.releaseAll();
  await expect.poll(() => client.isClosed()).toBe(true);
  expect(statuses(client.answers())).toEqual([200, 408]);
  await service.server.close();
});
