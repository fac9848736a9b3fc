import { describe, expect, test } from 'vitest';
import { bulkBody } from './bulk/bulkProtocol.ts';
import { eventsProtocol } from './eventsProtocol.ts';
import { call, setUp } from './ingest.fixture.ts';
import { defaultIngestLimits } from './ingest.ts';
import { lokiProtocol } from './loki/lokiProtocol.ts';
import { otlpProtocol } from './otlp/otlpProtocol.ts';
import type { Protocol } from './protocol.ts';
import { webhookOf } from './webhook/webhook.fixture.ts';
import { webhookProtocol } from './webhook/webhookProtocol.ts';

const webhook = webhookOf({
  name: 'shop',
  project: { kind: 'member', path: ['tenant', 'name'], allowed: null },
  mapping: { events: null, time: ['created', 'at'], message: null, id: ['number'] },
  deliveryHeader: 'x-delivery',
});
const nanos = '1777629630000000123';
const protocols = {
  events: eventsProtocol,
  loki: lokiProtocol(undefined),
  otlp: otlpProtocol,
  webhook: webhookProtocol(webhook),
  bulk: bulkBody('edge_logs').protocol,
} as const satisfies Record<string, Protocol>;

type Name = keyof typeof protocols;

/** All that the sender of a batch is told when it is refused. */
async function refusalOf(name: Name, body: string, more: Parameters<typeof call>[1] = {}): Promise<string> {
  const limits = { ...defaultIngestLimits, eventBytesMax: 300 };
  const { ingest } = setUp({ limits });
  const contentType = name === 'bulk' ? 'application/x-ndjson' : 'application/json';
  const sent = call(body, { protocol: protocols[name], contentType, ...more });
  const error = await ingest.accept(sent).catch((thrown: unknown) => thrown);
  const { message, errors } = error as { message: string; errors: readonly { message?: string }[] };
  return [message, ...errors.map((each) => each.message ?? '')].join(' ');
}

describe('messages speak of what the sender of the protocol can change:', () => {
  test.each<[Name, string | null]>([
    ['events', '[]'],
    ['loki', '{"streams":[]}'],
    ['otlp', '{"resourceLogs":[]}'],
    ['webhook', null],
  ])('the empty batch of %s', async (name, emptyBatch) => {
    const hint = emptyBatch === null ? '' : ` To send an empty batch, write ${emptyBatch}.`;
    expect(await refusalOf(name, ' ')).toBe(`The body is empty.${hint}`);
    if (emptyBatch === null) return;
    const { ingest } = setUp();
    const sent = call(emptyBatch, { protocol: protocols[name], contentType: 'application/json' });
    expect(await ingest.accept(sent)).toMatchObject({ accepted: 0, rejected: [] });
  });

  test.each<[Name, string, string]>([
    ['events', '[{}]', 'Give it a member "project"'],
    ['loki', `{"streams":[{"stream":{},"values":[["${nanos}","x"]]}]}`, 'send the header X-Scope-OrgID'],
    ['otlp', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}', 'an attribute "project"'],
    ['webhook', '{}', 'Give it the member "tenant.name"'],
    ['bulk', '{"index":{}}\n{"a":1}\n', 'Give the document a member "project"'],
  ])('the project of %s', async (name, body, expected) => {
    expect(await refusalOf(name, body)).toContain(expected);
  });

  test.each<[Name, string, string]>([
    ['events', '[{"project":"p","timestamp":"soon"}]', 'timestamp "soon" is not'],
    ['webhook', '{"tenant":{"name":"p"},"created":{"at":"soon"}}', 'created.at "soon" is not'],
    ['webhook', '{"tenant":{"name":"p"},"number":[]}', 'number (an array) is not'],
    ['bulk', `{"index":{"_id":""}}\n{"project":"p"}\n`, '_id "" is not'],
    ['events', '[{"project":"p","id":7}]', 'id 7 is not'],
  ])('the members of %s', async (name, body, expected) => {
    expect(await refusalOf(name, body)).toContain(expected);
  });

  test.each<[Name, string, string, string]>([
    ['events', '[{"project":"p"}]', 'This token may not', 'The Idempotency-Key has'],
    ['webhook', '{"tenant":{"name":"p"}}', 'The webhook shop may not', 'The delivery ID in the header x-delivery has'],
  ])('the sender and the key of %s', async (name, body, sender, key) => {
    expect(await refusalOf(name, body, { projects: ['q'] })).toContain(sender);
    expect(await refusalOf(name, body, { idempotencyKey: 'k'.repeat(256) })).toContain(key);
  });
});

const long = 'x'.repeat(400);

test.each<[Name, string]>([
  ['events', `[{"project":"p","a":"${long}","b":"${long}"}]`],
  ['loki', `{"streams":[{"stream":{"project":"p"},"values":[["${nanos}","x",{"a":"${long}","b":"${long}"}]]}]}`],
  ['loki', `{"streams":[{"stream":{"project":"p","a":"${long}","b":"${long}"},"values":[["${nanos}","x"]]}]}`],
  ['otlp', `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"${long.repeat(9)}"}}]}]}]}`],
  ['webhook', `{"tenant":{"name":"p"},"a":"${long}","b":"${long}"}`],
])('what is too large for %s has no size, because it is not read to its end', async (name, body) => {
  const told = await refusalOf(name, body);
  expect(told).toContain('more than 300 bytes');
  expect(told).not.toMatch(/\b(?!300\b)\d{3,} bytes/);
});

test.each<[Name, string]>([
  ['events', '[{"project":"p","a":secret}]'],
  ['events', '{"batch":"secret"}'],
  ['loki', '{"streams":"secret"}'],
  ['loki', '{"streams":[{"stream":secret}]}'],
  ['otlp', '{"resourceLogs":"secret"}'],
  ['otlp', '{"resourceLogs":[secret]}'],
  ['webhook', '{"tenant":secret}'],
  ['bulk', '{"index":"secret"}'],
])('the log has nothing of a malformed body for %s: %s', async (name, body) => {
  const { ingest } = setUp();
  const contentType = name === 'bulk' ? 'application/x-ndjson' : 'application/json';
  const error = await ingest
    .accept(call(body, { protocol: protocols[name], contentType }))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'request.malformed' });
  // The server logs the causes of errors.
  expect((error as Error).cause).toBeUndefined();
});
