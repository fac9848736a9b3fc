import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingestToken } from './killableService.ts';

/**
 * How the service recognises a repeated batch (streams.md, "a retry of the same batch"): by its key, or the ID or the
 * signed time of a delivery, by its bytes, or not at all.
 */
export type Recognition = 'key' | 'bytes' | 'none';

export const project = 'crashproject';
export const eventsPerBatch = 50;

export interface Batch {
  readonly name: string;
  readonly recognition: Recognition;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Sent = Omit<Batch, 'name'>;

const secret = 'the secret of the webhooks of the crash tests';
const token = { 'x-api-key': ingestToken };
const startMicros = 1_780_000_000_000_000;

const messagesOf = (name: string): readonly string[] =>
  Array.from({ length: eventsPerBatch }, (_, n) => `${name}/${n}`);

function events(name: string, recognition: Recognition): Sent {
  const all = messagesOf(name).map((message, n) => ({
    event_message: message,
    project,
    metadata: { request: { method: 'GET', path: '/rest/v1/todos' }, response: { status_code: 200 } },
    // Unless every event has its own id and time, equal bytes may be two different batches.
    ...(recognition === 'bytes' ? { id: message, timestamp: startMicros + n } : {}),
  }));
  const key = recognition === 'key' ? { 'idempotency-key': name } : {};
  return { recognition, path: '/api/logs?source=edge_logs', headers: { ...token, ...key }, body: JSON.stringify(all) };
}

function loki(name: string): Sent {
  const values = messagesOf(name).map((message, n) => [`${startMicros + n}000`, message]);
  return {
    recognition: 'bytes',
    path: '/loki/api/v1/push?source=edge_logs',
    headers: { ...token, 'x-scope-orgid': project },
    body: JSON.stringify({ streams: [{ stream: { app: 'crash' }, values }] }),
  };
}

function otlp(name: string): Sent {
  const logRecords = messagesOf(name).map((stringValue) => ({ body: { stringValue } }));
  const attributes = [{ key: 'project', value: { stringValue: project } }];
  return {
    recognition: 'key',
    path: '/v1/logs?source=edge_logs',
    headers: { ...token, 'idempotency-key': name },
    body: JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] }),
  };
}

function delivery(name: string, webhook: 'numbered' | 'timed'): Sent {
  const body = JSON.stringify({ events: messagesOf(name).map((event_message) => ({ event_message })) });
  const seconds = Math.floor(Date.now() / 1000);
  const signed = webhook === 'timed' ? `${seconds}.${body}` : body;
  return {
    recognition: 'key',
    path: `/webhooks/${webhook}`,
    headers: {
      'x-signature': createHmac('sha256', secret).update(signed).digest('hex'),
      ...(webhook === 'timed' ? { 'x-time': String(seconds) } : { 'x-delivery': name }),
    },
    body,
  };
}

const kinds: readonly ((name: string) => Sent)[] = [
  (name) => events(name, 'key'),
  (name) => events(name, 'bytes'),
  (name) => events(name, 'none'),
  loki,
  otlp,
  (name) => delivery(name, 'numbered'),
  (name) => delivery(name, 'timed'),
];

/** The `number`-th batch of a sender. The message of an event is `<name of its batch>/<its number>`. */
export function batchOf(sender: number, number: number): Batch {
  const name = `${sender}.${String(number).padStart(5, '0')}`;
  const kind = kinds[number % kinds.length];
  if (kind === undefined) throw new Error('there are no kinds of batches');
  return { name, ...kind(name) };
}

/** Declares the webhooks of the batches in a folder. Returns the path of the file. */
export function declareWebhooks(folder: string): string {
  writeFileSync(join(folder, 'webhook.secret'), secret);
  const webhook = `
    source: edge_logs
    project: ${project}
    events: events
    message: event_message`;
  const signature = 'header: X-Signature, secret_files: [webhook.secret]';
  const file = join(folder, 'webhooks.yaml');
  writeFileSync(
    file,
    `webhooks:
  numbered:${webhook}
    delivery_id_header: X-Delivery
    signature: { ${signature} }
  timed:${webhook}
    signature: { ${signature}, signed: '{timestamp}.{body}', timestamp_header: X-Time }
`,
  );
  return file;
}
