import type { OutgoingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { parseDefinition } from '../../../src/endpoints/parseDefinition.ts';
import type { TokenRestrictions } from '../../../src/tokens/restrictions.ts';
import { parseScopes } from '../../../src/tokens/scope.ts';
import { generateSecret, hashToken } from '../../../src/tokens/tokenFormat.ts';
import type { TokenRecord } from '../../../src/tokens/tokenStore.ts';
import { RepeatingService, type RunRow, rawClient, type WireAnswer } from './repeatedCalls.fixture.ts';

const startMicros = Date.UTC(2026, 4, 1) * 1000;
export const ids = { first: '11111111-1111-4111-8111-111111111111', second: '22222222-2222-4222-8222-222222222222' };

const definition = (id: string, more: Readonly<Record<string, unknown>> = {}) =>
  parseDefinition(
    {
      id,
      name: 'example.cached',
      query: 'select @project as project',
      parameters: { project: { type: 'string' } },
      cache_seconds: 10,
      stale_if_error_seconds: 5,
      sandbox: true,
      max_rows: 5,
      ...more,
    },
    { label: 'example.cached' },
  );

/** Without a time for which results are kept, they are given again only while events are unchanged. */
export const unkept = { cache_seconds: 0, stale_if_error_seconds: 0 };

interface MadeToken {
  readonly text: string;
  readonly scopes?: readonly string[];
  readonly restrictions?: TokenRestrictions;
  readonly expiresAfterSeconds?: number;
}

const publicIdOf = (name: string) => name.padEnd(12, '0');
const secret = (name: string) => generateSecret(publicIdOf(name), systemRandomness);
export const tokens = {
  open: { text: secret('open') },
  fresh: { text: secret('fresh'), scopes: ['query', 'query:fresh'] },
  p: { text: secret('p'), restrictions: { projects: ['p'] } },
  redacted: { text: secret('redacted'), restrictions: { projects: null, redact: true } },
  locked: { text: secret('locked'), restrictions: { projects: null, parameters: { project: ['q'] } } },
  near: { text: secret('near'), restrictions: { projects: null, networks: ['198.51.100.0/24'] } },
  far: { text: secret('far'), restrictions: { projects: null, networks: ['192.0.2.0/24'] } },
  slow: { text: secret('slow'), restrictions: { projects: null, rate: { requests: 4, seconds: 20 } } },
  short: { text: secret('short'), expiresAfterSeconds: 6 },
  manager: { text: secret('manager'), scopes: ['query', 'manage'] },
  unknown: { text: secret('unknown') },
} satisfies Record<string, MadeToken>;
export type TokenName = keyof typeof tokens;

function recordOf(name: TokenName): TokenRecord {
  const { text, scopes = ['query'], restrictions, expiresAfterSeconds }: MadeToken = tokens[name];
  return {
    publicId: publicIdOf(name),
    secretHash: hashToken(text),
    description: '',
    scopes: parseScopes(scopes),
    slot: null,
    restrictions: restrictions ?? null,
    createdAtMicros: 0,
    expiresAtMicros: expiresAfterSeconds === undefined ? null : startMicros + expiresAfterSeconds * 1e6,
    lastUsedAtMicros: null,
    revokedAtMicros: null,
    previous: null,
  };
}

/** Each member changes one thing that an answer can depend on. */
const aspects = {
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  token: fc.constantFrom(...(Object.keys(tokens) as TokenName[])),
  scheme: fc.constantFrom('key', 'key', 'bearer', 'both'),
  by: fc.constantFrom(ids.first, ids.second, 'example.cached', 'example.cached'),
  query: fc.constantFrom(
    'project=p',
    'project=p',
    'project=q',
    'project=%70',
    'project=p&ref=x',
    '',
    'project=p&sql=select+1',
  ),
  redact: fc.constantFrom(undefined, undefined, 'true', 'TRUE', 'false', ['true', 'false']),
  values: fc.constantFrom(undefined, undefined, 'plain', 'records', 'nonsense'),
  cacheControl: fc.constantFrom(undefined, undefined, undefined, 'no-cache', 'max-age=3', 'only-if-cached'),
  accept: fc.constantFrom(undefined, undefined, 'application/json', 'text/html'),
  acceptEncoding: fc.constantFrom(
    undefined,
    undefined,
    'gzip',
    'br',
    'identity',
    'gzip, identity;q=0',
    'br, identity;q=0',
    '*;q=0',
  ),
  origin: fc.constantFrom(undefined, undefined, 'https://pages.example.com', 'https://evil.example.com'),
  ifNoneMatch: fc.constantFrom(undefined, undefined, undefined, '*', 'current', 'W/"other"'),
  forwardedFor: fc.constantFrom(undefined, undefined, '192.0.2.7', '198.51.100.1'),
  requestId: fc.constantFrom('r', 'a-longer-id-of-a-request', 'y'.repeat(128)),
  traceparent: fc.constantFrom(undefined, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
  userAgent: fc.constantFrom(undefined, 'a browser', 'another'),
};
export type Call = {
  readonly [Name in keyof typeof aspects]: (typeof aspects)[Name] extends fc.Arbitrary<infer T> ? T : never;
};
const anyCall: fc.Arbitrary<Call> = fc.record(aspects) as fc.Arbitrary<Call>;

/** What most callers send. */
export const plainCall: Call = {
  method: 'GET',
  token: 'open',
  scheme: 'key',
  by: 'example.cached',
  query: 'project=p',
  redact: undefined,
  values: undefined,
  cacheControl: undefined,
  accept: undefined,
  acceptEncoding: undefined,
  origin: undefined,
  ifNoneMatch: undefined,
  forwardedFor: undefined,
  requestId: 'r',
  traceparent: undefined,
  userAgent: undefined,
};

const who = fc.constantFrom('itself' as const, 'another process' as const);
const liveToken = fc.constantFrom<TokenName[]>('open', 'p', 'redacted', 'near', 'slow');
export const step = fc.oneof(
  // Calls that are alike but for a few things, so that what is remembered of one would fit another.
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      base: fc.oneof({ weight: 3, arbitrary: fc.constant(plainCall) }, { weight: 1, arbitrary: anyCall }),
      token: fc.option(aspects.token, { nil: undefined }),
      changed: fc.subarray(Object.keys(aspects) as (keyof Call)[], { maxLength: 2 }),
      other: anyCall,
      times: fc.constantFrom(1, 2, 3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(100, 500, 1000, 4000, 11_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('goBack' as const), ms: fc.constantFrom(300, 5000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('purge' as const), id: fc.constantFrom(...Object.values(ids)) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), who, name: liveToken }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rotate' as const),
      who,
      name: liveToken,
      overlapSeconds: fc.constantFrom(0, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      who,
      id: fc.constantFrom(...Object.values(ids)),
      more: fc.constantFrom(
        { max_rows: 4 },
        { redact_pii: true },
        { values: 'records' },
        { sandbox: false },
        { cache_seconds: 3 },
        unkept,
        unkept,
        {},
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('primary' as const), who, id: fc.constantFrom(...Object.values(ids)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('engine' as const), fails: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('change' as const), state: fc.constantFrom('first', 'second', null) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const settings = { corsOrigins: ['https://pages.example.com'], trustedProxies: ['127.0.0.1/32'] };

/** Two services with the same history. One of them forgets every answer. */
export class Twins {
  readonly clock = new ManualClock(startMicros);
  readonly remembering = new RepeatingService();
  readonly forgetful = new RepeatingService();
  readonly revoked = new Set<TokenName>();
  repeated = 0;
  readonly repeatedStatuses = new Set<string>();
  /** The entity tag of the last answer, for conditional calls. */
  #entityTag = 'W/"none"';

  /** `more` extends the definition that has the name. */
  async start(more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const endpoints = [definition(ids.first, more), definition(ids.second, { max_rows: 3 })];
    const records = (Object.keys(tokens) as TokenName[]).filter((name) => name !== 'unknown').map(recordOf);
    await this.remembering.start(this.clock, settings);
    await this.forgetful.start(this.clock, { ...settings, repeatedBytesMax: 0 });
    for (const each of this.both) await each.define(endpoints, records);
  }

  get both(): readonly RepeatingService[] {
    return [this.remembering, this.forgetful];
  }

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'calls': {
        const changes = Object.fromEntries(next.changed.map((name) => [name, next.other[name]]));
        const base = next.token === undefined ? next.base : { ...next.base, token: next.token };
        for (let n = 0; n < next.times; n++) await this.check(base);
        await this.check({ ...base, ...changes });
        await this.check(base);
        return;
      }
      case 'wait':
        this.clock.advanceMs(next.ms);
        return;
      case 'goBack':
        this.clock.advanceMs(-next.ms);
        return;
      case 'purge': {
        const headers = { 'x-api-key': tokens.manager.text };
        const [a, b] = await Promise.all(
          this.both.map((each) => each.send(`/api/endpoints/${next.id}/purge`, headers, 'POST')),
        );
        expect(a?.text).toBe(b?.text);
        return;
      }
      case 'revoke':
        for (const each of this.both) await each.by(next.who).tokens.revoke(recordOf(next.name).publicId, 1);
        return;
      case 'rotate': {
        const until = this.clock.nowMicros() + next.overlapSeconds * 1e6;
        const { publicId } = recordOf(next.name);
        for (const each of this.both) await each.by(next.who).tokens.rotate(publicId, hashToken('another'), until);
        return;
      }
      case 'edit':
        for (const each of this.both) await each.by(next.who).endpoints.change(definition(next.id, next.more), 1);
        return;
      case 'primary':
        for (const each of this.both) await each.by(next.who).endpoints.setPrimary(next.id);
        return;
      case 'change':
        for (const each of this.both) each.state = next.state;
        return;
      case 'engine':
        for (const each of this.both) each.engine.fails = next.fails;
        return;
    }
  }

  async check(call: Call): Promise<void> {
    const path = `/api/endpoints/query/${call.by}?${call.query}`;
    const headers = headersOf(call, this.#entityTag);
    const [given, expected] = [
      await this.remembering.send(path, headers, call.method),
      await this.forgetful.send(path, headers, call.method),
    ];
    expect(comparable(given)).toEqual(comparable(expected));
    checkWalls(call, given);
    const { etag } = given.headers;
    if (typeof etag === 'string') this.#entityTag = etag;
    if (/^cache;dur=[\d.]+$/.test(String(given.headers['server-timing']))) {
      this.repeated++;
      this.repeatedStatuses.add(`${call.method} ${given.status} ${given.headers['content-encoding'] ?? 'identity'}`);
    }
    expect(String(expected.headers['server-timing'])).not.toMatch(/^cache;/);
  }

  /** What usage, metrics and the log are made of. */
  told(service: RepeatingService) {
    return service.observations.map((observation) => {
      switch (observation.kind) {
        case 'request.completed': {
          const { call, elapsedMs: _elapsed, stages, ...others } = observation;
          const rest = { ...others, hasStages: stages !== undefined };
          if (call === undefined) return rest;
          const { answeredMs: _answered, stagesMs: _stages, ...report } = call;
          return { ...rest, call: report };
        }
        default:
          return observation;
      }
    });
  }

  async close(): Promise<void> {
    for (const each of this.both) await each.close();
  }
}

function headersOf(call: Call, entityTag: string): OutgoingHttpHeaders {
  const { text } = tokens[call.token];
  const given: Readonly<Record<string, string | string[] | undefined>> = {
    'x-api-key': call.scheme === 'bearer' ? undefined : text,
    authorization: call.scheme === 'key' ? undefined : `Bearer ${text}`,
    'svc-endpoint-redact-pii': call.redact,
    'svc-endpoint-values': call.values,
    'cache-control': call.cacheControl,
    accept: call.accept,
    'accept-encoding': call.acceptEncoding,
    origin: call.origin,
    'if-none-match': call.ifNoneMatch === 'current' ? entityTag : call.ifNoneMatch,
    'x-forwarded-for': call.forwardedFor,
    'x-request-id': call.requestId,
    traceparent: call.traceparent,
    'user-agent': call.userAgent,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** An answer without the members that depend only on its time and process. */
function comparable({ status, headers, bytes, text }: WireAnswer) {
  const { date: _date, 'server-timing': timing, ...rest } = headers;
  return { status, headers: rest, bytes, text, isTimed: timing !== undefined };
}

/** What holds for every answer with rows, whatever was remembered. */
function checkWalls(call: Call, { status, text }: WireAnswer): void {
  if (status !== 200 || text === '') return;
  const { result, meta } = JSON.parse(text);
  const row: RunRow = result[0];
  expect(call.token).not.toBe('unknown');
  expect(meta.request_id).toBe(call.requestId);
  const { restrictions }: MadeToken = tokens[call.token];
  expect(row.projects).toEqual(restrictions?.projects ?? null);
  if (call.token === 'locked') expect(row.project).toBe('q');
  if (restrictions?.redact === true || String(call.redact).toLowerCase() === 'true')
    expect(meta.redaction.applied).toBe(true);
  expect(row.client).toBe(meta.redaction.applied ? '[REDACTED:ip]' : rawClient);
  const onlyFrom: Partial<Record<TokenName, string>> = { far: '192.0.2.7', near: '198.51.100.1' };
  expect(call.forwardedFor).toBe(onlyFrom[call.token] ?? call.forwardedFor);
}
