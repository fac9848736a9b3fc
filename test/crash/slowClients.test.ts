import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, killAll, newDataDir, type StartedService, startService } from '../acceptance/startedService.ts';

const adminToken = 'admin-token-of-the-slow-client-tests-012345';
const clients = 12;
const project = 'slowproject';
const dataDir = newDataDir();

beforeAll(build);
afterAll(async () => {
  killAll();
  await rm(dirname(dataDir), { recursive: true, force: true });
});

const start = () =>
  startService(['--shutdown-ms', '500'], { dataDir, environment: { LOGMILL_ADMIN_TOKEN: adminToken } });

/** Opens a connection and sends only the given text. */
async function begin({ url }: StartedService, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {
    // The service has ended.
  });
  await once(socket, 'connect');
  socket.pause();
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return socket;
}

const event = (message: string) => ({ event_message: message, project });
const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${adminToken}\r\n`;

async function ingest({ url }: StartedService, messages: readonly string[]): Promise<number> {
  const response = await fetch(`${url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(messages.map(event)),
  });
  await response.text();
  return response.status;
}

async function messages({ url }: StartedService): Promise<readonly string[]> {
  const sql = 'select substr(event_message, 1, 10) as m from edge_logs order by m';
  const response = await fetch(`${url}/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql })}`, {
    headers: { 'x-api-key': adminToken },
  });
  const { result } = (await response.json()) as { readonly result: readonly { readonly m: string }[] };
  return result.map(({ m }) => m);
}

it('answers others beside clients that neither send nor read on, ends in spite of them, and stores no half batch', async () => {
  const service = await start();
  // Too large for the buffers of the system, so that the answer below blocks.
  expect(await ingest(service, ['first'.padEnd(900_000, 'x')])).toBe(200);
  const half = JSON.stringify([event('half')]);
  const senders = Array.from({ length: clients }, () =>
    begin(
      service,
      `${head('POST /api/logs?source=edge_logs')}Content-Type: application/json\r\nContent-Length: ${half.length + 1}\r\n\r\n${half}`,
    ),
  );
  const sql = encodeURIComponent('select repeat(event_message, 20) as m from edge_logs');
  const readers = Array.from({ length: clients }, () =>
    begin(service, `${head(`GET /api/endpoints/query/logs.all?project=${project}&sql=${sql}`)}\r\n`),
  );
  const sockets = await Promise.all([...senders, ...readers]);
  expect(await ingest(service, ['second'])).toBe(200);
  expect(await messages(service)).toEqual(['firstxxxxx', 'second']);
  expect(await service.stop('SIGTERM')).toBe(0);
  for (const socket of sockets) socket.destroy();
  const next = await start();
  expect(await messages(next)).toEqual(['firstxxxxx', 'second']);
  expect(await next.stop('SIGTERM')).toBe(0);
});
