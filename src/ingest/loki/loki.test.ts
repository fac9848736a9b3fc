import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, test } from 'vitest';
import { type LokiStream, pushRequestOf, snappyLiterals } from '../../../test/support/lokiPush.ts';
import { SeededRandom } from '../../demo/seededRandom.ts';
import { call, named, setUp } from '../ingest.fixture.ts';
import { defaultIngestLimits, type IngestCall } from '../ingest.ts';
import { lokiProtocol } from './lokiProtocol.ts';

const nanos = '1777629630123456789';
const own: LokiStream = { stream: { app: 'web', project: 'p' }, values: [[nanos, 'one', { trace_id: 't1' }]] };
const stored = {
  timestampMicros: 1_777_629_630_123_456,
  project: 'p',
  eventMessage: 'one',
  metadata: '{"app":"web","project":"p","trace_id":"t1"}',
};

const json = (streams: unknown, overrides: Partial<IngestCall> = {}) =>
  call({ streams }, { protocol: lokiProtocol(undefined), ...overrides });
const protobuf = (streams: readonly LokiStream[], overrides: Partial<IngestCall> = {}) =>
  bytes(snappyLiterals(pushRequestOf(streams)), overrides);
const bytes = (body: Uint8Array, overrides: Partial<IngestCall> = {}) =>
  call(body, { contentType: 'application/x-protobuf', protocol: lokiProtocol(undefined), ...overrides });

const malformed = { code: 'request.malformed', status: 400 };

describe('a push', () => {
  test('in JSON, and in protobuf with Snappy, becomes the same events', async () => {
    for (const each of [json([own]), protobuf([own]), bytes(compress(pushRequestOf([own])))]) {
      const { ingest, eventLog } = setUp();
      expect(await ingest.accept(each)).toEqual({ message: 'Logged!', accepted: 1, rejected: [] });
      expect(eventLog.events).toMatchObject([stored]);
    }
  });

  test('keeps the order of lines of one microsecond by their nanoseconds', async () => {
    const { ingest, eventLog } = setUp();
    const values = [
      ['1777629630000000900', 'second'],
      ['1777629630000000100', 'first'],
    ] as const;
    await ingest.accept(protobuf([{ ...own, values }]));
    expect(eventLog.events.map(({ eventMessage }) => eventMessage)).toEqual(['first', 'second']);
  });

  test('of the same bytes is stored once, as Loki stores a line once', async () => {
    const { ingest, eventLog } = setUp();
    const first = await ingest.accept(protobuf([own]));
    expect(await ingest.accept(protobuf([own]))).toEqual(first);
    expect(eventLog.events).toHaveLength(1);
    // Lines without a time get the time of arrival, so equal bytes are not equal lines.
    const timeless = [{ stream: own.stream, values: [['0', 'x']] as const }];
    await ingest.accept(protobuf(timeless));
    await ingest.accept(protobuf(timeless));
    expect(eventLog.events).toHaveLength(3);
  });

  test('of the same bytes for another tenant is another push', async () => {
    const { ingest, eventLog } = setUp();
    const streams = [{ stream: { app: 'web' }, values: [[nanos, 'one']] as const }];
    for (const tenant of ['a', 'b', 'a']) await ingest.accept(protobuf(streams, { protocol: lokiProtocol(tenant) }));
    expect(eventLog.events.map(({ project }) => project)).toEqual(['a', 'b']);
  });

  test('takes the project from structured metadata, else from a label, else from the tenant', async () => {
    const { ingest, eventLog } = setUp();
    const streams: readonly LokiStream[] = [
      {
        stream: { project: 'label' },
        values: [
          [nanos, '1', { project: 'line' }],
          [nanos, '2'],
        ],
      },
      { stream: { project: '' }, values: [[nanos, '3']] },
    ];
    await ingest.accept(json(streams, { protocol: lokiProtocol('tenant') }));
    expect(eventLog.events.map(({ project }) => project)).toEqual(['line', 'label', 'tenant']);
  });

  test('for projects that the token may not send to is rejected, whatever names them', async () => {
    const { ingest, eventLog } = setUp();
    const only = { projects: ['p'], protocol: lokiProtocol('other') };
    const streams: readonly LokiStream[] = [
      { stream: {}, values: [[nanos, 'by tenant']] },
      { stream: { project: 'other' }, values: [[nanos, 'by label']] },
      {
        stream: { project: 'p' },
        values: [
          [nanos, 'by metadata', { project: 'other' }],
          [nanos, 'mine'],
        ],
      },
    ];
    const { rejected } = await ingest.accept(protobuf(streams, only));
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [0, 'event.project_forbidden'],
      [1, 'event.project_forbidden'],
      [2, 'event.project_forbidden'],
    ]);
    expect(eventLog.events).toMatchObject([{ project: 'p', eventMessage: 'mine' }]);
  });

  test('without lines is taken, whether a source is named or not', async () => {
    const { ingest } = setUp();
    const empty = { message: 'Logged!', accepted: 0, rejected: [] };
    expect(await ingest.accept(json([]))).toEqual(empty);
    expect(await ingest.accept(json([{ stream: {} }], { sourceCandidates: [] }))).toEqual(empty);
    expect(await ingest.accept(bytes(Buffer.from([0])))).toEqual(empty);
  });
});

describe('the source', () => {
  const from = (source: string, line: string): LokiStream => ({
    stream: { source, project: 'p' },
    values: [[nanos, line]],
  });
  const sourcesOf = (log: { readonly batches: readonly { readonly source: string }[] }) =>
    log.batches.map(({ source }) => source);

  test('of each stream is its label, if the call names none', async () => {
    const { ingest, eventLog } = setUp();
    const streams = [from('edge_logs', '1'), from('auth_logs', '2'), from('edge.requests', '3')];
    expect((await ingest.accept(json(streams, { sourceCandidates: [] }))).accepted).toBe(3);
    expect(sourcesOf(eventLog)).toEqual(['edge_logs', 'auth_logs']);
    expect(eventLog.events.map(({ eventMessage }) => eventMessage)).toEqual(['1', '3', '2']);
    // Each source remembers its part.
    await ingest.accept(json(streams, { sourceCandidates: [] }));
    expect(eventLog.events).toHaveLength(3);
  });

  test('that the call names counts for all, and the label is only metadata', async () => {
    const { ingest, eventLog } = setUp();
    await ingest.accept(json([from('stdout', '1')], { sourceCandidates: named('auth_logs') }));
    expect(sourcesOf(eventLog)).toEqual(['auth_logs']);
    expect(eventLog.events).toMatchObject([{ metadata: '{"source":"stdout","project":"p"}' }]);
  });

  test.each<[string, readonly LokiStream[], Partial<IngestCall>, string]>([
    ['is unknown', [from('edge_logs', '1'), from('nowhere', '2')], {}, 'source.unknown'],
    ['is missing', [from('edge_logs', '1'), from('', '2')], {}, 'source.missing'],
    [
      'is not one of the token',
      [from('edge_logs', '1'), from('auth_logs', '2')],
      { maySend: (source: string) => source === 'edge_logs' },
      'auth.scope',
    ],
  ])('of one stream %s: nothing of the push is stored', async (_what, streams, overrides, code) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.accept(json(streams, { sourceCandidates: [], ...overrides }))).rejects.toMatchObject({ code });
    expect(eventLog.batches).toEqual([]);
  });

  test('of a strict push with a bad line in one stream: nothing of the others is stored', async () => {
    const { ingest, eventLog } = setUp();
    const streams = [from('edge_logs', '1'), { ...from('auth_logs', '2'), values: [['5', 'x']] as const }];
    const refused = ingest.accept(json(streams, { sourceCandidates: [], strict: true }));
    await expect(refused).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
      errors: [{ index: 1, code: 'event.timestamp_invalid' }],
    });
    expect(eventLog.batches).toEqual([]);
    const { accepted, rejected } = await ingest.accept(json(streams, { sourceCandidates: [] }));
    expect([accepted, rejected]).toMatchObject([1, [{ index: 1, code: 'event.timestamp_invalid' }]]);
  });
});

describe('a line', () => {
  const rejectedOf = async (...values: unknown[]) => {
    const { ingest } = setUp({ limits: { ...defaultIngestLimits, eventBytesMax: 2000 } });
    const streams = [{ stream: { project: 'p' }, values: [...values, [nanos, 'good']] }];
    return (await ingest.accept(json(streams))).rejected;
  };

  test.each<[string, unknown, string]>([
    ['not an array', 'text', 'event.malformed'],
    ['without a text', [nanos], 'event.malformed'],
    ['with too many elements', [nanos, 'x', {}, 1], 'event.malformed'],
    ['whose text is a number', [nanos, 5], 'event.malformed'],
    ['whose metadata is text', [nanos, 'x', 'm'], 'event.malformed'],
    ['whose metadata is nested', [nanos, 'x', { a: { b: 1 } }], 'event.malformed'],
    ['whose metadata is larger than an event', [nanos, 'x', members(1001)], 'event.too_large'],
    ['whose time is in seconds', ['1777629630', 'x'], 'event.timestamp_invalid'],
    ['whose time is in milliseconds', ['1777629630123', 'x'], 'event.timestamp_invalid'],
    ['whose time is a date', ['2026-05-01T10:00:30Z', 'x'], 'event.timestamp_invalid'],
    ['whose time is negative', ['-1', 'x'], 'event.timestamp_invalid'],
    ['whose time is after 2262', ['9999999999999999999', 'x'], 'event.timestamp_invalid'],
    ['of a week ahead', ['1778629630000000000', 'x'], 'event.too_far_ahead'],
    ['larger than an event', [nanos, 'x'.repeat(2001)], 'event.too_large'],
  ])('%s is rejected, and the others are stored', async (_what, value, code) => {
    expect(await rejectedOf(value)).toMatchObject([{ index: 0, code }]);
  });

  test('may have its time as a number, and values that are not text', async () => {
    const { ingest, eventLog } = setUp();
    const body = `{"streams":[{"stream":{"project":"p","n":5},"values":[[${nanos},"x",{"b":true}]]}]}`;
    await ingest.accept(call(body, { protocol: lokiProtocol(undefined) }));
    expect(eventLog.events).toMatchObject([
      { timestampMicros: stored.timestampMicros, metadata: '{"project":"p","n":5,"b":true}' },
    ]);
  });
});

describe('labels in protobuf', () => {
  const withLabels = async (labels: string) => {
    const { ingest, eventLog } = setUp({ defaultProject: 'p' });
    const field = (number: number, content: Uint8Array) =>
      Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
    const entry = field(2, Buffer.from('x'));
    await ingest.accept(
      bytes(snappyLiterals(field(1, Buffer.concat([field(1, Buffer.from(labels)), field(2, entry)])))),
    );
    return JSON.parse(eventLog.events[0]?.metadata ?? 'null');
  };

  test.each<[string, Record<string, string> | null]>([
    ['{}', null],
    ['', null],
    ['{a="1"}', { a: '1' }],
    [' { a = "1" , b="2", } ', { a: '1', b: '2' }],
    ['{a="q\\"\\\\ \\n\\x41\\101\\u00e9\\U0001f600"}', { a: 'q"\\ \nAAé😀' }],
    ['{a=`raw\\n`}', { a: 'raw\\n' }],
    ['{"with.dot"="1"}', { 'with.dot': '1' }],
    ['{a="{b=\\"c\\"}, d"}', { a: '{b="c"}, d' }],
    ['{a="1",a="2"}', { a: '2' }],
    ['{a="\\xff\\ud800\\U00ffffff"}', { a: '\ufffd\ufffd\ufffd' }],
  ])('%s are read', async (labels, expected) => {
    if (labels === '') await expect(withLabels(labels)).rejects.toMatchObject(malformed);
    else expect(await withLabels(labels)).toEqual(expected);
  });

  test.each(['{', '{a}', '{a=b}', '{a="1"', '{a="1}', '{a="1"} x', '{a="1" b="2"}', 'a="1"', '{="1"}', '{a="\\'])(
    '%s are refused with their place',
    async (labels) => {
      await expect(withLabels(labels)).rejects.toMatchObject({
        ...malformed,
        message: expect.stringContaining('at character'),
      });
    },
  );
});

describe('a hostile push', () => {
  const limits = { ...defaultIngestLimits, eventsMax: 100, eventBytesMax: 2000, bodyBytesMax: 20_000 };

  test('with large labels and many lines is refused before it has grown', async () => {
    const { ingest, eventLog } = setUp({ limits });
    const stream = { a: 'x'.repeat(1900), project: 'p' };
    const values = Array.from({ length: 50 }, (_, n) => [nanos, String(n)] as const);
    for (const each of [json([{ stream, values }]), protobuf([{ stream, values }])]) {
      await expect(ingest.accept(each)).rejects.toMatchObject({ code: 'request.too_large', status: 413 });
    }
    const larger = { a: 'x'.repeat(2100), project: 'p' };
    await expect(ingest.accept(protobuf([{ stream: larger, values }]))).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
    });
    expect(eventLog.batches).toEqual([]);
  });

  test('whose lines each get a copy of many labels counts as what it takes in memory', async () => {
    const { ingest, eventLog } = setUp();
    const values = Array.from({ length: 6000 }, () => [nanos, 'x', { m: '1' }] as const);
    const stream = { project: 'p', ...members(900) };
    // A quarter of a megabyte as sent.
    await expect(ingest.accept(json([{ stream, values }]))).rejects.toMatchObject({ code: 'request.too_large' });
    expect(eventLog.batches).toEqual([]);
    const few = await ingest.accept(json([{ stream, values: values.slice(0, 200) }]));
    expect(few.accepted).toBe(200);
  });

  test('with too many lines or streams is refused', async () => {
    const { ingest } = setUp({ limits });
    const values = Array.from({ length: 101 }, () => [nanos, ''] as const);
    const tooMany = { code: 'ingest.too_many_events' };
    await expect(ingest.accept(json([{ stream: {}, values }]))).rejects.toMatchObject(tooMany);
    await expect(ingest.accept(bytes(snappyLiterals(Buffer.alloc(500, Buffer.from([0x0a, 0])))))).rejects.toMatchObject(
      tooMany,
    );
  });

  test.each<[string, unknown]>([
    ['no object', 5],
    ['no streams', {}],
    ['streams that are text', { streams: 'x' }],
    ['a stream that is text', { streams: ['x'] }],
    ['a stream without labels', { streams: [{ values: [] }] }],
    ['labels that are nested', { streams: [{ stream: { a: [] } }] }],
    ['a thousand and one labels', { streams: [{ stream: members(1001) }] }],
    ['lines that are text', { streams: [{ stream: {}, values: 'x' }] }],
  ])('in JSON with %s is refused', async (_what, body) => {
    const { ingest } = setUp();
    await expect(ingest.accept(call(body, { protocol: lokiProtocol(undefined) }))).rejects.toMatchObject(malformed);
  });

  test('damaged anywhere is refused or stored, and never fails otherwise', async () => {
    const whole = Buffer.from(pushRequestOf([own, { ...own, stream: { app: 'b', project: 'p' } }]));
    const random = new SeededRandom('loki');
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (place, byte) => {
        const damaged = Buffer.from(whole);
        damaged[place] = byte;
        const body = random.chance(0.5) ? damaged : damaged.subarray(0, place);
        const { ingest } = setUp();
        const outcome = await ingest.accept(bytes(snappyLiterals(body))).catch((error: unknown) => error);
        expect(outcome).toMatchObject(
          outcome instanceof Error ? { status: expect.toBeOneOf([400, 413, 422]) } : { message: 'Logged!' },
        );
      }),
      { seed: 16, numRuns: 500 },
    );
  });

  test('of another type is refused with the types of Loki', async () => {
    const { ingest } = setUp();
    const sent = json([own], { contentType: 'text/plain' });
    await expect(ingest.accept(sent)).rejects.toMatchObject({ code: 'request.unsupported_media_type' });
  });
});

function members(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 'x']));
}
