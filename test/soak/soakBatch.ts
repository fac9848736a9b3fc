import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { type OtlpRecord, protobufOf } from '../support/otlpMessage.ts';
import type { Expected } from './ledger.ts';

/** No name is a part of another, because `usage.api-counts` searches for them. */
export const tenants = ['soakalder', 'soakbirch', 'soakcedar'] as const;
export type Tenant = (typeof tenants)[number];
export const sources = ['edge_logs', 'function_edge_logs', 'auth_logs', 'database_logs'] as const;
export type SoakSource = (typeof sources)[number];

/** Personal data in every event, which redaction must hide. */
export const mailDomain = '@example.com';
export const addressPrefix = '203.0.113.';

type Form = 'array' | 'batch' | 'ndjson' | 'gzip' | 'brotli' | 'otlp-json' | 'otlp-protobuf';
/**
 * What is wrong with a batch: nothing, some events, one event of a strict batch, every event, or events of another
 * tenant than the token's.
 */
type Flaw = 'none' | 'some' | 'strict' | 'all' | 'foreign';

export interface SoakBatch {
  readonly expected: Expected;
  /** How it is recognised when it is repeated (streams.md, "a retry of the same batch"). */
  readonly recognition: 'key' | 'bytes' | 'none';
  /** Whether it is sent with the token that is restricted to its tenant. */
  readonly isRestricted: boolean;
  readonly isOtlp: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The status that settles it, with the number of events reported as rejected. */
  readonly status: 200 | 400 | 422;
  readonly rejected: number;
}

interface SoakEvent {
  readonly id?: string;
  readonly timestamp?: number | string;
  readonly event_message: string;
  readonly project: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A batch of the sender. Events that carry a time carry `nowMicros`. */
export function soakBatch(random: SeededRandom, sender: number, number: number, nowMicros: number): SoakBatch {
  const name = `s${sender}.${String(number).padStart(6, '0')}`;
  const tenant = random.weighted<Tenant>([
    ['soakalder', 6],
    ['soakbirch', 3],
    ['soakcedar', 1],
  ]);
  const source = random.weighted<SoakSource>([
    ['edge_logs', 6],
    ['function_edge_logs', 2],
    ['auth_logs', 1],
    ['database_logs', 1],
  ]);
  const form = random.weighted<Form>([
    ['array', 4],
    ['batch', 2],
    ['ndjson', 4],
    ['gzip', 3],
    ['brotli', 1],
    ['otlp-json', 1],
    ['otlp-protobuf', 1],
  ]);
  const isOtlp = form.startsWith('otlp');
  const recognition = random.weighted<SoakBatch['recognition']>([
    ['key', 2],
    ['bytes', isOtlp ? 0 : 1],
    ['none', 1],
  ]);
  const flaw = random.weighted<Flaw>([
    ['none', 88],
    ['some', isOtlp ? 0 : 6],
    ['strict', isOtlp ? 0 : 2],
    ['all', isOtlp ? 0 : 1],
    ['foreign', 3],
  ]);
  const facts: EventFacts = { random, name, tenant, source, nowMicros, hasOwnId: recognition === 'bytes' };
  const good = Array.from({ length: random.integer(1, 60) }, (_, n) => goodEvent(facts, n));
  const bad = Array.from({ length: flaw === 'none' ? 0 : random.integer(1, 3) }, (_, n) => badEvent(facts, n, flaw));
  const sent = flaw === 'all' ? bad : [...bad, ...good];
  const isRefused = flaw === 'strict' || flaw === 'all';
  return {
    expected: {
      name,
      tenant,
      source,
      events: isRefused ? 0 : good.length,
      amount: isRefused ? 0 : good.reduce((sum, event) => sum + amountOf(event), 0),
      requests: isRefused || isOtlp || source !== 'edge_logs' ? 0 : good.length,
    },
    recognition,
    isRestricted: flaw === 'foreign' || random.chance(0.3),
    isOtlp,
    path: `${isOtlp ? '/v1/logs' : random.pick(['/api/logs', '/logs', '/api/events'])}?source=${source}${flaw === 'strict' ? '&strict=true' : ''}`,
    headers: { ...headersOf[form], ...(recognition === 'key' ? { 'idempotency-key': name } : {}) },
    body: bodyOf(form, sent),
    status: isRefused ? 422 : 200,
    rejected: flaw === 'strict' ? bad.length : sent.length - good.length,
  };
}

interface EventFacts {
  readonly random: SeededRandom;
  readonly name: string;
  readonly tenant: Tenant;
  readonly source: SoakSource;
  readonly nowMicros: number;
  readonly hasOwnId: boolean;
}

/** Messages are `<tenant>/<batch>/<number>/<amount>/<mail>`; numbers of events that must be rejected begin with `r`. */
function messageOf({ random, name, tenant }: EventFacts, number: string): string {
  return `${tenant}/${name}/${number}/${random.integer(1, 1000)}/jane.${number}${mailDomain}`;
}

const amountOf = (event: SoakEvent): number => Number(event.event_message.split('/')[3]);

function goodEvent(facts: EventFacts, n: number): SoakEvent {
  const { random, name, tenant, source, nowMicros, hasOwnId } = facts;
  const path = `/rest/v1/${random.pick(['todos', 'profiles', 'orders'])}`;
  const status_code = random.weighted([
    [200, 18],
    [404, 1],
    [500, 1],
  ]);
  const request = {
    method: 'GET',
    path,
    url: `https://${tenant}.example.org${path}`,
    headers: { x_real_ip: `${addressPrefix}${random.integer(1, 254)}`, user_agent: 'soak/1.0' },
  };
  const metadata = {
    request,
    response: { status_code },
    ...(source === 'function_edge_logs' ? { function_id: 'f', execution_time_ms: random.integer(1, 500) } : {}),
  };
  const isTimed = hasOwnId || random.chance(0.8);
  return {
    ...(hasOwnId ? { id: `${name}/${n}` } : {}),
    ...(isTimed ? { timestamp: nowMicros + n } : {}),
    event_message: messageOf(facts, String(n)),
    project: tenant,
    metadata,
  };
}

function badEvent(facts: EventFacts, n: number, flaw: Flaw): SoakEvent {
  const event = { ...goodEvent(facts, n), event_message: messageOf(facts, `r${n}`) };
  if (flaw !== 'foreign') return { ...event, timestamp: '1700000000' };
  const other = tenants.find((tenant) => tenant !== facts.tenant) ?? facts.tenant;
  return { ...event, project: other };
}

const headersOf: Readonly<Record<Form, Readonly<Record<string, string>>>> = {
  array: { 'content-type': 'application/json' },
  batch: { 'content-type': 'application/json' },
  ndjson: { 'content-type': 'application/x-ndjson' },
  gzip: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
  brotli: { 'content-type': 'application/json', 'content-encoding': 'br' },
  'otlp-json': { 'content-type': 'application/json' },
  'otlp-protobuf': { 'content-type': 'application/x-protobuf' },
};

function bodyOf(form: Form, events: readonly SoakEvent[]): Uint8Array {
  const lines = () => events.map((event) => JSON.stringify(event)).join('\n');
  const otlp = () => ({ resourceLogs: [{ scopeLogs: [{ logRecords: events.map(recordOf) }] }] });
  switch (form) {
    case 'array':
      return Buffer.from(JSON.stringify(events));
    case 'batch':
      return Buffer.from(JSON.stringify({ batch: events }));
    case 'ndjson':
      return Buffer.from(lines());
    case 'gzip':
      return gzipSync(lines());
    case 'brotli':
      return brotliCompressSync(JSON.stringify(events));
    case 'otlp-json':
      return Buffer.from(JSON.stringify(otlp()));
    case 'otlp-protobuf':
      return protobufOf(otlp());
  }
}

function recordOf({ timestamp, event_message, project }: SoakEvent): OtlpRecord {
  return {
    ...(timestamp === undefined ? {} : { timeUnixNano: `${timestamp}000` }),
    body: { stringValue: event_message },
    attributes: [{ key: 'project', value: { stringValue: project } }],
  };
}
