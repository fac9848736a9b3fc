import { readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../core/errors.ts';
import { arrivalMicros, call, good, named, own, setUp } from './ingest.fixture.ts';
import { defaultIngestLimits, type IngestCall } from './ingest.ts';

describe('a batch', () => {
  test('is stored as one, under the name of its source, and acknowledged', async () => {
    const { ingest, eventLog, observations } = setUp();
    expect(await ingest.accept(call([good, good]))).toEqual({ message: 'Logged!', accepted: 2, rejected: [] });
    expect(eventLog.batches).toHaveLength(1);
    expect(eventLog.batches[0]).toMatchObject({
      source: 'edge_logs',
      events: [{ eventMessage: 'x' }, { eventMessage: 'x' }],
    });
    expect(observations).toEqual([
      { kind: 'ingest.stored', source: 'edge_logs', accepted: 2, rejected: 0, bytes: expect.any(Number) },
    ]);
  });

  test('of the example events is taken whole by every stream, in every coding', async () => {
    const examples = JSON.parse(readFileSync('test/fixtures/events.json', 'utf8')) as Record<string, unknown[]>;
    for (const [source, events] of Object.entries(examples)) {
      const { ingest, eventLog } = setUp();
      const json = Buffer.from(JSON.stringify({ batch: events }));
      const lines = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      const bodies = [
        call(json, { contentEncoding: 'gzip', body: zlib.gzipSync(json) }),
        call(json, { contentEncoding: 'br', body: zlib.brotliCompressSync(json) }),
        call(lines, { contentType: 'application/x-ndjson' }),
      ];
      for (const body of bodies) {
        expect(await ingest.accept({ ...body, sourceCandidates: named(source) })).toMatchObject({
          accepted: events.length,
          rejected: [],
        });
      }
      expect(eventLog.events.map(({ metadata }) => metadata)).toEqual(
        Array(3).fill(JSON.stringify((events[0] as { metadata: unknown }).metadata)),
      );
    }
  });

  test('keeps its good events and names the bad ones by index', async () => {
    const { ingest, eventLog } = setUp();
    const answer = await ingest.accept(call([good, { ...good, timestamp: '1' }, 5, good, {}]));
    expect(answer).toEqual({
      message: 'Logged!',
      accepted: 2,
      rejected: [
        { index: 1, code: 'event.timestamp_invalid', message: expect.any(String) },
        { index: 2, code: 'event.not_object', message: expect.any(String) },
        { index: 4, code: 'event.project_missing', message: expect.any(String) },
      ],
    });
    expect(eventLog.events).toHaveLength(2);
  });

  test('of NDJSON keeps the lines that parse', async () => {
    const { ingest, eventLog } = setUp();
    const body = `${JSON.stringify(good)}\n\n{"project":\n${JSON.stringify(good)}`;
    const answer = await ingest.accept(call(body, { contentType: 'application/jsonl' }));
    expect(answer).toMatchObject({ accepted: 2, rejected: [{ index: 1, code: 'event.malformed' }] });
    expect(eventLog.events).toHaveLength(2);
  });

  test('with one bad event is refused when the call is strict, and nothing is stored', async () => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.accept(call([good, 5], { strict: true }))).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
      status: 422,
      errors: [{ index: 1, code: 'event.not_object' }],
    });
    expect(eventLog.batches).toEqual([]);
    expect(await ingest.accept(call([good, good], { strict: true }))).toMatchObject({ accepted: 2 });
  });

  test.each(['5', '[5]', '{"a":1}', '[{},{}]', '[[]]'])('of bad events only is always refused: %s', async (body) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.accept(call(body))).rejects.toMatchObject({ code: 'ingest.batch_invalid', status: 422 });
    expect(eventLog.batches).toEqual([]);
  });

  test('that is empty is acknowledged and stores nothing', async () => {
    const { ingest, eventLog } = setUp();
    for (const body of ['[]', '{"batch":[]}']) {
      expect(await ingest.accept(call(body))).toEqual({ message: 'Logged!', accepted: 0, rejected: [] });
    }
    expect(await ingest.accept(call('', { contentType: 'application/x-ndjson', strict: true }))).toMatchObject({
      accepted: 0,
    });
    expect(eventLog.batches).toEqual([]);
  });

  test('lists a thousand bad events at most and says how many there are', async () => {
    const { ingest } = setUp();
    const answer = await ingest.accept(call([good, ...Array(1500).fill(5)]));
    expect(answer.rejected).toHaveLength(1000);
    expect(answer.rejected_total).toBe(1500);
    await expect(ingest.accept(call(Array(1500).fill(5)))).rejects.toMatchObject({ errors: { length: 1000 } });
  });

  test('of many events lets others have a turn while it is worked on', async () => {
    const { ingest } = setUp();
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await ingest.accept(call(Array(50_000).fill(good)));
    isDone = true;
    expect(turns).toBeGreaterThan(10);
  });

  test('comes with the token that sent it, whether or not its retry would be recognised', async () => {
    const { ingest, eventLog } = setUp();
    for (const event of [good, own]) await ingest.accept(call([event], { tokenId: 'sender' }));
    expect(eventLog.batches.map(({ owner, identity }) => [owner, identity === null])).toEqual([
      ['sender', true],
      ['sender', false],
    ]);
  });
});

describe('a retry', () => {
  test.each<[string, unknown, Partial<IngestCall>, number]>([
    ['with the same key is stored once', [good], { idempotencyKey: 'k' }, 1],
    ['of events with ids and times of their own is stored once', [own, { ...own, id: 'j' }], {}, 1],
    ['of events of which one has no id is new', [own, { ...own, id: null }], {}, 2],
    ['of events of which one has no time is new', [own, { ...own, timestamp: null }], {}, 2],
    ['of which a bad event has no id is stored once', [own, 5], {}, 1],
    ['of an empty batch with a key stores nothing more', [], { idempotencyKey: 'k' }, 1],
  ])('%s', async (_, body, overrides, batches) => {
    const { ingest, eventLog, clock } = setUp();
    const first = await ingest.accept(call(body, overrides));
    clock.advanceMs(60_000);
    expect(await ingest.accept(call(body, overrides))).toEqual(first);
    expect(eventLog.batches).toHaveLength(batches);
  });

  test('is recognised whatever coding it comes in', async () => {
    const { ingest, eventLog } = setUp();
    const json = Buffer.from(JSON.stringify([own]));
    await ingest.accept(call(json));
    await ingest.accept(call(zlib.gzipSync(json), { contentEncoding: 'gzip' }));
    await ingest.accept(call(zlib.gzipSync(json, { level: 1 }), { contentEncoding: 'gzip' }));
    expect(eventLog.batches).toHaveLength(1);
  });

  test.each<[string, Partial<IngestCall>]>([
    ['another token', { tokenId: 'other' }],
    ['another source', { sourceCandidates: named('auth_logs') }],
    ['another key', { idempotencyKey: 'other' }],
    ['no key', { idempotencyKey: undefined }],
    ['an empty key', { idempotencyKey: '' }],
  ])('with %s is another batch', async (_, overrides) => {
    const { ingest, eventLog } = setUp();
    await ingest.accept(call([own], { idempotencyKey: 'k' }));
    await ingest.accept(call([own], { idempotencyKey: 'k', ...overrides }));
    expect(eventLog.batches).toHaveLength(2);
  });

  test('with the same key and other bytes is refused and stores nothing', async () => {
    const { ingest, eventLog } = setUp();
    await ingest.accept(call([good], { idempotencyKey: 'k' }));
    for (const body of ['[]', JSON.stringify([good, good]), ` ${JSON.stringify([good])}`]) {
      await expect(ingest.accept(call(body, { idempotencyKey: 'k' }))).rejects.toMatchObject({
        code: 'ingest.key_reused',
        status: 422,
      });
    }
    expect(eventLog.batches).toHaveLength(1);
  });

  test.each<[string, unknown[], Partial<IngestCall>]>([
    ['of the same bytes', [own], {}],
    ['with the same key', [{ ...good, timestamp: 1777629620 }], { idempotencyKey: 'k' }],
    ['of a strict batch of which only some are too old', [own, { ...own, timestamp: 1777629640 }], { strict: true }],
    ['of bytes of which some were rejected at first', [own, 5], {}],
  ])('%s gets the first answer even if its events have become too old', async (_, body, overrides) => {
    let oldest: number | null = null;
    const { ingest, eventLog } = setUp({ oldestMicros: () => oldest });
    const first = await ingest.accept(call(body, overrides));
    oldest = arrivalMicros;
    expect(await ingest.accept(call(body, overrides))).toEqual(first);
    expect(eventLog.batches).toHaveLength(1);
    const others = { ...overrides, tokenId: 'other' };
    await expect(ingest.accept(call(body, others))).rejects.toMatchObject({ code: 'ingest.batch_invalid' });
  });

  test('is refused where it is strict and some events were rejected at first, when it was not', async () => {
    const { ingest, eventLog } = setUp();
    expect(await ingest.accept(call([own, 5]))).toMatchObject({ accepted: 1 });
    await expect(ingest.accept(call([own, 5], { strict: true }))).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
      errors: [{ index: 1 }],
    });
    expect(eventLog.batches).toHaveLength(1);
  });

  test('is refused where it is strict also if none of the events that were rejected at first is remembered whole', async () => {
    const { ingest, eventLog } = setUp();
    const projects = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(128));
    const overrides = { idempotencyKey: 'k', projects };
    const body = [
      { ...good, project: projects[0] },
      { ...good, project: 'other'.repeat(25) },
    ];
    expect(await ingest.accept(call(body, overrides))).toMatchObject({ accepted: 1 });
    await expect(ingest.accept(call(body, { ...overrides, strict: true }))).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
      errors: [{ index: 1 }],
    });
    expect(eventLog.batches).toHaveLength(1);
  });

  test('with a key that is known and only bad events of other bytes is refused for its key', async () => {
    const { ingest } = setUp();
    await ingest.accept(call([good], { idempotencyKey: 'k' }));
    await expect(ingest.accept(call([5], { idempotencyKey: 'k' }))).rejects.toMatchObject({
      code: 'ingest.key_reused',
    });
  });

  test('is told of the same bad events, of which little is kept', async () => {
    const { ingest, eventLog } = setUp();
    const batch = call([good, ...Array(1500).fill(5)], { idempotencyKey: 'key' });
    const first = await ingest.accept(batch);
    const again = await ingest.accept(batch);
    expect(again).toEqual(first);
    expect(eventLog.batches).toHaveLength(1);
    expect(Math.max(...eventLog.batches.map(({ identity }) => identity?.answer.length ?? 0))).toBeLessThan(1200);
  });

  test('of a batch that was refused is judged again', async () => {
    const { ingest, eventLog, clock } = setUp();
    const ahead = { ...good, timestamp: arrivalMicros + 90_000_000_000 };
    await expect(ingest.accept(call([ahead], { idempotencyKey: 'k' }))).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
    });
    clock.advanceMs(3_600_000);
    expect(await ingest.accept(call([ahead], { idempotencyKey: 'k' }))).toMatchObject({ accepted: 1 });
    expect(eventLog.batches).toHaveLength(1);
  });

  test('keys that are too long are refused', async () => {
    const { ingest } = setUp();
    expect(await ingest.accept(call([good], { idempotencyKey: 'k'.repeat(255) }))).toMatchObject({ accepted: 1 });
    await expect(ingest.accept(call([good], { idempotencyKey: 'k'.repeat(256) }))).rejects.toMatchObject({
      code: 'request.malformed',
    });
  });
});

describe('the source', () => {
  test.each<[string, string[], unknown, string]>([
    ['by one candidate', ['auth_logs'], good, 'auth_logs'],
    ['by two that agree', ['auth_logs', 'auth_logs'], good, 'auth_logs'],
    ['by an alias', ['edge.requests'], good, 'edge_logs'],
    ['by an alias and its name', ['edge.requests', 'edge_logs'], good, 'edge_logs'],
    ['by the body', [], { ...good, source: 'auth_logs' }, 'auth_logs'],
    ['by the body of a batch', [], { batch: [good], source: 'auth_logs' }, 'auth_logs'],
    ['by candidate and body that agree', ['auth_logs', ''], { ...good, source: 'auth_logs' }, 'auth_logs'],
  ])('is found %s', async (_, names, body, source) => {
    const { ingest, eventLog } = setUp();
    await ingest.accept(call(body, { sourceCandidates: named(...names) }));
    expect(eventLog.batches).toMatchObject([{ source, events: [{ metadata: null }] }]);
  });

  test.each<[string, string[], unknown, string, number]>([
    ['two candidates that differ', ['edge_logs', 'auth_logs'], good, 'source.ambiguous', 400],
    ['candidate and body that differ', ['edge_logs'], { ...good, source: 'auth_logs' }, 'source.ambiguous', 400],
    ['a known and an unknown one', ['edge_logs', 'edge_log'], good, 'source.ambiguous', 400],
    ['none', [], [good], 'source.missing', 400],
    ['an empty one', [''], good, 'source.missing', 400],
    ['an unknown one', ['edge_log'], good, 'source.unknown', 404],
    ['an unknown one in the body', [], { ...good, source: 'edge_log' }, 'source.unknown', 404],
    ['another case', ['Edge_logs'], good, 'source.unknown', 404],
    ['an alias in another case', ['Edge.requests'], good, 'source.unknown', 404],
    ['an inherited name', ['constructor'], good, 'source.unknown', 404],
  ])('given as %s is refused', async (_, names, body, code, status) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.accept(call(body, { sourceCandidates: named(...names) }))).rejects.toMatchObject({
      code,
      status,
    });
    expect(eventLog.batches).toEqual([]);
  });

  test('an unknown one is answered with the sources of this token and the nearest of them', async () => {
    const { ingest } = setUp();
    const maySend = (name: string) => name === 'edge_logs' || name === 'auth_logs';
    await expect(ingest.accept(call(good, { maySend, sourceCandidates: named('edge_log') }))).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean edge_logs? The sources are edge_logs, auth_logs.'),
      errors: [{ allowed: ['edge_logs', 'auth_logs'], nearest: 'edge_logs' }],
    });
  });

  test('that the token may not send to is refused, by alias and in the body as well', async () => {
    const { ingest, eventLog } = setUp();
    const maySend = (name: string) => name === 'auth_logs';
    for (const overrides of [{ sourceCandidates: named('edge_logs') }, { sourceCandidates: named('edge.requests') }]) {
      await expect(ingest.accept(call(good, { maySend, ...overrides }))).rejects.toMatchObject({
        code: 'auth.scope',
        status: 403,
      });
    }
    await expect(
      ingest.accept(call({ ...good, source: 'edge_logs' }, { maySend, sourceCandidates: [] })),
    ).rejects.toMatchObject({ code: 'auth.scope' });
    expect(eventLog.batches).toEqual([]);
  });
});

describe('a request that is refused as a whole', () => {
  test.each<[string, Partial<IngestCall>, string]>([
    ['another content type', { contentType: 'text/plain' }, 'request.unsupported_media_type'],
    ['another coding', { contentEncoding: 'lz4' }, 'request.unsupported_encoding'],
    ['text that is no JSON', { body: Buffer.from('{') }, 'request.malformed'],
    ['a body that is larger than allowed', { body: Buffer.alloc(16 * 1024 * 1024 + 1, 0x20) }, 'request.too_large'],
    [
      'a body that grows larger than allowed',
      { body: zlib.gzipSync(Buffer.alloc(17 * 1024 * 1024, 0x20)), contentEncoding: 'gzip' },
      'request.too_large',
    ],
    ['more events than allowed', { body: Buffer.from(`[${'1,'.repeat(50_000)}1]`) }, 'ingest.too_many_events'],
  ])('%s', async (_, overrides, code) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.accept(call(good, overrides))).rejects.toMatchObject({ code });
    expect(eventLog.batches).toEqual([]);
    expect(await ingest.accept(call(good))).toMatchObject({ accepted: 1 });
  });

  test('events of projects that the token may not send', async () => {
    const { ingest } = setUp();
    const answer = await ingest.accept(call([good, { ...good, project: 'q' }], { projects: ['p'] }));
    expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'event.project_forbidden' }] });
  });

  test('what retention would remove', async () => {
    const { ingest } = setUp({
      oldestMicros: (source, project, now) => (source === 'edge_logs' && project === 'p' ? now - 1000 : null),
    });
    await expect(ingest.accept(call(own))).rejects.toMatchObject({ errors: [{ code: 'event.too_old' }] });
    expect(await ingest.accept(call({ ...own, project: 'q' }))).toMatchObject({ accepted: 1 });
  });
});

test('many small bodies that each grow to the bound take the memory of a few', async () => {
  const bodyBytesMax = 2 * 1024 * 1024;
  const { ingest } = setUp({ limits: { ...defaultIngestLimits, bodyBytesMax } });
  const bomb = call(zlib.brotliCompressSync(Buffer.alloc(2 * bodyBytesMax)), { contentEncoding: 'br' });
  const heldBefore = process.memoryUsage().arrayBuffers;
  let held = 0;
  let isDone = false;
  const look = () => {
    held = Math.max(held, process.memoryUsage().arrayBuffers - heldBefore);
    if (!isDone) setImmediate(look);
  };
  look();
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => ingest.accept(bomb)));
  isDone = true;
  const codes = outcomes.map((each) => each.status === 'rejected' && (each.reason as ServiceError).code);
  expect(codes.filter((code) => code === 'request.too_large').length).toBeGreaterThanOrEqual(18);
  expect(codes.filter((code) => code === 'request.too_large' || code === 'ingest.overloaded')).toHaveLength(100);
  expect(held).toBeLessThan(50 * bodyBytesMax);
});

test.each(['br', 'gzip', 'zstd'])('a flood of %s bombs lets small bodies and other tokens go ahead', async (coding) => {
  const { ingest } = setUp();
  const nothing = Buffer.alloc(20 * 1024 * 1024);
  const bombs = {
    br: () => zlib.brotliCompressSync(nothing, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    gzip: () => zlib.gzipSync(nothing),
    // Blocks that each repeat one byte, of a frame without size.
    zstd: () => {
      const blocks = Buffer.alloc(160 * 4);
      for (let i = 0; i < 160; i++) blocks.writeUInt32LE((128 * 1024 * 8) | 2 | (i === 159 ? 1 : 0), 4 * i);
      return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]), blocks]);
    },
  };
  const done: string[] = [];
  const ended = (name: string) => () => void done.push(name);
  const bomb = call(bombs[coding as keyof typeof bombs](), { contentEncoding: coding, tokenId: 'flooding' });
  const flood = Array.from({ length: 10 }, () => ingest.accept(bomb).catch(ended('bomb')));
  const large = Buffer.from(JSON.stringify([good, ' '.repeat(1024 * 1024)]));
  await Promise.all([
    ingest.accept(call(good, { tokenId: 'flooding' })).then(ended('plain')),
    ingest.accept(call(zlib.gzipSync(JSON.stringify(good)), { contentEncoding: 'gzip' })).then(ended('small')),
    ingest.accept(call(zlib.gzipSync(large), { contentEncoding: 'gzip' })).then(ended('large of another token')),
  ]);
  expect(done.filter((name) => name === 'bomb').length).toBeLessThan(6);
  await Promise.all(flood);
  expect(done).toHaveLength(13);
});

test('a token has no more turns where it writes its coding in many ways', async () => {
  const { ingest } = setUp();
  const bytes = zlib.gzipSync(JSON.stringify(good)).subarray(0, -1);
  const spellings = ['gzip', 'gziP', 'gzIp', 'gzIP', 'gZip', 'gZiP', 'gZIp', 'gZIP', 'Gzip', 'GziP', 'GzIp', 'GzIP'];
  const done: string[] = [];
  const flood = spellings.map((contentEncoding) =>
    ingest.accept(call(bytes, { contentEncoding, tokenId: 'flooding' })).catch(() => done.push('flood')),
  );
  const small = call(zlib.gzipSync(JSON.stringify(good)), { contentEncoding: 'gzip' });
  await ingest.accept(small).then(() => done.push('small'));
  await Promise.all(flood);
  expect(done.indexOf('small')).toBeLessThan(4);
});
