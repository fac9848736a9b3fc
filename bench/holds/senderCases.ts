import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { pushRequestOf, snappyLiterals } from '../../test/support/lokiPush.ts';
import { bodyBytes, eventBytes, filled, members } from './filledText.ts';
import type { HoldCase } from './holdCase.ts';

const secret = 'secret-of-the-benchmark';
const json = { 'content-type': 'application/json' };

/** Declares the webhook of the cases. Returns the path of the declaration. */
export function declareWebhook(folder: string): string {
  writeFileSync(join(folder, 'webhook.secret'), secret, { mode: 0o600 });
  const declaration = {
    webhooks: {
      bench: {
        source: 'edge_logs',
        project: 'own',
        events: 'events',
        message: 'message',
        signature: { header: 'X-Signature', prefix: 'sha256=', secret_files: ['webhook.secret'] },
      },
    },
  };
  const path = join(folder, 'webhooks.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(declaration), { mode: 0o600 });
  return path;
}

function loki(name: string, body: () => string | Uint8Array): HoldCase {
  return {
    name: `Loki: ${name}`,
    run: (client) => {
      const sent = body();
      const headers = typeof sent === 'string' ? json : { 'content-type': 'application/x-protobuf' };
      return client.send('POST', '/loki/api/v1/push?source=edge_logs', headers, sent);
    },
  };
}

function bulk(name: string, body: () => string): HoldCase {
  return {
    name: `Elasticsearch: ${name}`,
    run: (client) =>
      client.send('POST', '/elastic/edge_logs/_bulk', { 'content-type': 'application/x-ndjson' }, body()),
  };
}

function webhook(name: string, body: () => string): HoldCase {
  return {
    name: `a webhook: ${name}`,
    run: (client) => {
      const sent = body();
      const signature = `sha256=${createHmac('sha256', secret).update(sent).digest('hex')}`;
      return client.send('POST', '/webhooks/bench', { ...json, 'x-signature': signature }, sent);
    },
  };
}

const nanos = '1777636800000000000';

/** A push of one stream, which has the fields in protobuf. */
function pushOfStream(fields: Uint8Array): Uint8Array {
  return snappyLiterals(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(fields).finish());
}

/** Lines without a text or a time. */
const emptyLines = (bytes: number) => Buffer.alloc(bytes, Buffer.from([(2 << 3) | WireType.LengthDelimited, 0]));

const streamOf = (stream: string, values: string) => `{"streams":[{"stream":{${stream}},"values":[${values}]}]}`;
const lineOf = (line: string, more = '') => `["${nanos}","${line}"${more}]`;

/** Bodies of the maximum size from senders of other systems that take longest to read. */
export const senderCases: readonly HoldCase[] = [
  loki('one line', () => streamOf('"project":"own"', lineOf(filled('x')))),
  loki('one line that is not ASCII', () => streamOf('"project":"own"', lineOf(filled('é', bodyBytes / 2)))),
  loki('one line of escapes', () => streamOf('"project":"own"', lineOf(filled('\\n')))),
  loki('many lines', () => streamOf('"project":"own"', filled(`${lineOf('x')},`) + lineOf('x'))),
  loki('labels', () =>
    streamOf(
      members(bodyBytes, (n) => `k${n}`, '"v"'),
      lineOf('x'),
    ),
  ),
  loki('structured metadata', () =>
    streamOf('"project":"own"', lineOf('x', `,{${members(bodyBytes, (n) => `k${n}`, '"v"')}}`)),
  ),
  loki('empty streams', () => `{"streams":[${filled('{},')}{}]}`),
  loki('members', () => `{${members(bodyBytes, (n) => `k${n}`)}}`),
  loki('one line, protobuf', () =>
    snappyLiterals(pushRequestOf([{ stream: { project: 'own' }, values: [[nanos, filled('x', 15_000_000)]] }])),
  ),
  loki('lines as long as they may be, protobuf', () =>
    snappyLiterals(
      pushRequestOf([
        {
          stream: { project: 'own' },
          values: Array.from({ length: 15 }, () => [nanos, filled('é', eventBytes / 2 - 512)]),
        },
      ]),
    ),
  ),
  loki('empty lines, protobuf', () => pushOfStream(emptyLines(15_000_000))),
  loki('unknown fields, protobuf', () => pushOfStream(Buffer.alloc(15_000_000, Buffer.from([15 << 3, 1])))),
  loki('no Snappy', () => Buffer.alloc(bodyBytes, 0xff)),
  bulk('lines without an action', () => filled('{}\n')),
  bulk('small documents', () => filled('{"index":{}}\n{"project":"own","message":"x"}\n')),
  bulk('actions without a document', () => filled('{"delete":{"_id":"1"}}\n')),
  bulk('indexes that are not known', () =>
    Array.from({ length: 200_000 }, (_, n) => `{"index":{"_index":"logs-${n}"}}\n{"project":"own"}\n`).join(''),
  ),
  bulk('a document of one text', () => `{"index":{}}\n{"project":"own","message":"${filled('x')}"}\n`),
  bulk('a document of members', () => `{"index":{}}\n{"project":"own",${members(bodyBytes, (n) => `k${n}`)}}\n`),
  bulk('an action of members', () => `{"index":{${members(bodyBytes, (n) => `k${n}`)}}}\n{"project":"own"}\n`),
  webhook('one text', () => `{"message":"${filled('x')}"}`),
  webhook('members', () => `{${members(bodyBytes, (n) => `k${n}`)}}`),
  webhook('many events', () => `{"events":[${filled('{},', 3 * 49_000)}{}]}`),
  webhook('too many events', () => `{"events":[${filled('{},')}{}]}`),
  webhook(
    'events beside a large part of all',
    () => `{"shared":"${filled('x', eventBytes / 2)}","events":[${filled('{},', 3 * 20)}{}]}`,
  ),
  webhook('lists of lists', () => `{"message":[${filled('[],')}[]]}`),
];
