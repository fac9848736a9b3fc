import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Webhook } from '../../../src/ingest/webhook/webhook.ts';
import { type ExampleService, startExampleService } from './exampleService.ts';

const secret = Buffer.from('the secret of this webhook');
const shop: Webhook = {
  name: 'shop',
  source: 'edge_logs',
  projectField: { kind: 'column' },
  project: { kind: 'fixed', project: 'p' },
  mapping: { events: null, time: null, message: null, id: null },
  signature: {
    header: 'x-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: '',
    secrets: [secret],
    signed: [{ kind: 'body' }],
    timestamp: null,
  },
  deliveryHeader: null,
};

/** The whole budget for bodies is four of the largest. */
const largest = 64_000;
const [foreigner, sender] = ['127.0.0.2', '127.0.0.1'];

let service: ExampleService;
const sockets: Socket[] = [];
beforeAll(async () => {
  const limits = { bodyBytesHeldMax: 0, ingestBodyBytesMax: largest };
  service = await startExampleService(limits, { webhooks: new Map([['shop', shop]]) });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.server.close();
});

function deliver(localAddress: string, body: string, signature: string): Promise<number | undefined> {
  const headers = { 'x-signature': signature, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(`${service.url}/webhooks/shop`, { method: 'POST', headers, localAddress, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end(body);
  });
}

/** Begins a delivery that never ends. */
function beginDelivery(bytes: number): void {
  const socket = connect({ port: service.port, host: sender, localAddress: foreigner });
  socket.on('error', () => undefined);
  const head = `POST /webhooks/shop HTTP/1.1\r\nHost: x\r\nX-Signature: 00\r\nContent-Length: ${largest}\r\n\r\n`;
  socket.write(head + ' '.repeat(bytes));
  sockets.push(socket);
}

it('deliveries without the secret take no room from those with it', async () => {
  beginDelivery(62_000);
  beginDelivery(32_000);
  // All of its room is taken when there is none for a little more.
  while ((await deliver(foreigner, ' '.repeat(3_000), '00')) !== 503);
  const body = JSON.stringify({ text: 'x'.repeat(10_000) });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  expect(await deliver(sender, body, signature)).toBe(200);
});
