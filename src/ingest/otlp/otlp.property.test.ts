import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OtlpExport, type OtlpPair, type OtlpValue, protobufOf } from '../../../test/support/otlpMessage.ts';
import { ServiceError } from '../../core/errors.ts';
import { zstdFrame } from '../decompress.fixture.ts';
import { arrivalMicros, call, named, setUp } from '../ingest.fixture.ts';
import { defaultIngestLimits } from '../ingest.ts';
import { otlpProtocol } from './otlpProtocol.ts';

const seed = 37;
const limits = { ...defaultIngestLimits, eventsMax: 8, eventBytesMax: 2000, bodyBytesMax: 20_000 };

const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', maxLength: 8 }), weight: 4 },
  fc.constantFrom('', '__proto__', 'project', 'project_ref', '1', '0', 'a', '\u0000', '\ud800', '😀', 'x'.repeat(700)),
);
const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n),
);
const { value } = fc.letrec<{ value: OtlpValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text.map((stringValue): OtlpValue => ({ stringValue })),
    fc.boolean().map((boolValue): OtlpValue => ({ boolValue })),
    integer.map((each): OtlpValue => ({ intValue: String(each) })),
    fc.double().map((each): OtlpValue => ({ doubleValue: Number.isFinite(each) ? each : String(each) })),
    fc.uint8Array({ maxLength: 5 }).map((each): OtlpValue => ({ bytesValue: Buffer.from(each).toString('base64') })),
    fc.constant<OtlpValue>({}),
    fc.array(tie('value'), { maxLength: 3 }).map((values): OtlpValue => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key: text, value: tie('value') }, { requiredKeys: ['key'] }), { maxLength: 3 })
      .map((values): OtlpValue => ({ kvlistValue: { values } })),
  ),
}));
const pair: fc.Arbitrary<OtlpPair> = fc.oneof(
  fc.record({ key: text, value }, { requiredKeys: ['key'] }),
  fc.constantFrom('mine', 'theirs', '').map((stringValue) => ({ key: 'project', value: { stringValue } })),
);
const pairs = fc.array(pair, { maxLength: 4 });
const nanos = fc.constantFrom('0', '1', '1777629630000123999', '1777629630000000000', '4000000000000000000');
const idOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((each) => Buffer.from(each).toString('hex'));
const record = fc.record(
  {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: fc.integer({ min: 0, max: 30 }),
    severityText: text,
    body: value,
    attributes: pairs,
    flags: fc.nat(),
    traceId: fc.oneof(fc.constantFrom('', '0'.repeat(32)), idOf(16)),
    spanId: fc.oneof(fc.constantFrom('', '0'.repeat(16)), idOf(8)),
    eventName: text,
  },
  { requiredKeys: [] },
);
const scope = fc.record({ name: text, version: text, attributes: pairs }, { requiredKeys: [] });
const anyExport: fc.Arbitrary<OtlpExport> = fc.record({
  resourceLogs: fc.array(
    fc.record(
      {
        resource: fc.record({ attributes: pairs }, { requiredKeys: [] }),
        scopeLogs: fc.array(
          fc.record({ scope, logRecords: fc.array(record, { maxLength: 4 }) }, { requiredKeys: ['logRecords'] }),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: ['scopeLogs'] },
    ),
    { maxLength: 3 },
  ),
});

const encodings = {
  protobuf: (message: OtlpExport) => Buffer.from(protobufOf(message)),
  json: (message: OtlpExport) => Buffer.from(JSON.stringify(message)),
};
const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' };
const compressions = {
  identity: (body: Buffer) => body,
  gzip: (body: Buffer) => gzipSync(body),
  zstd: (body: Buffer) => zstdFrame({ declared: body.length, blocks: [{ raw: body }] }),
};
type Encoding = keyof typeof encodings;
type Compression = keyof typeof compressions;
const encodingNames = fc.constantFrom<Encoding>('protobuf', 'json');
const compressionNames = fc.constantFrom<Compression>('identity', 'gzip', 'zstd');
const sources = fc.constantFrom('edge_logs', 'function_logs', 'realtime_logs');

/** What is stored and answered, or the error. */
async function outcomeOf(
  body: Uint8Array,
  encoding: Encoding,
  compression: Compression,
  source: string,
  projects: readonly string[] | null = null,
) {
  const { ingest, eventLog } = setUp({ limits, defaultProject: 'mine' });
  const sent = call(body, {
    protocol: otlpProtocol,
    contentType: contentTypes[encoding],
    contentEncoding: compression,
    sourceCandidates: named(source),
    projects,
  });
  try {
    return { answer: await ingest.accept(sent), events: eventLog.events };
  } catch (error) {
    return { error, events: eventLog.events };
  }
}

const recordsOf = ({ resourceLogs }: OtlpExport) =>
  resourceLogs.flatMap(({ scopeLogs = [] }) => scopeLogs.flatMap(({ logRecords = [] }) => logRecords));

test('an export is the same events in both encodings, and of every record it is told what became of it', async () => {
  let stored = 0;
  let rejected = 0;
  await fc.assert(
    fc.asyncProperty(anyExport, sources, compressionNames, async (message, source, compression) => {
      const [one, other] = await Promise.all(
        (['protobuf', 'json'] as const).map((encoding) =>
          outcomeOf(compressions[compression](encodings[encoding](message)), encoding, compression, source),
        ),
      );
      if (one?.answer === undefined) {
        // A record that is too large is measured as it was sent, so that the messages differ.
        const told = [one, other].map((each) => {
          if (!(each?.error instanceof ServiceError)) return each;
          const { code, status, errors } = each.error;
          return { code, status, indexes: errors.map(({ index }) => index) };
        });
        expect(told[1]).toEqual(told[0]);
        return;
      }
      expect(other?.events).toEqual(one.events);
      expect(other?.answer?.accepted).toBe(one.answer.accepted);
      const indexes = one.answer.rejected.map(({ index }) => index);
      expect(other?.answer?.rejected.map(({ index }) => index)).toEqual(indexes);
      expect(one.events.length).toBe(one.answer.accepted);
      expect(one.answer.accepted + indexes.length).toBe(recordsOf(message).length);
      stored += one.events.length;
      rejected += indexes.length;
    }),
    { seed, numRuns: 500 },
  );
  expect(stored).toBeGreaterThan(300);
  expect(rejected).toBeGreaterThan(30);
});

test('of a token of one project no record of another one is stored, wherever that is named', async () => {
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(anyExport, sources, encodingNames, async (message, source, encoding) => {
      const { events } = await outcomeOf(encodings[encoding](message), encoding, 'identity', source, ['mine']);
      stored += events.length;
      for (const { project, metadata } of events) {
        expect(project).toBe('mine');
        const { project: inside, project_ref } = JSON.parse(metadata ?? '{}');
        if (source === 'realtime_logs') expect(inside).toBe('mine');
        if (source === 'function_logs') expect(project_ref).toBe('mine');
      }
    }),
    { seed, numRuns: 500 },
  );
  expect(stored).toBeGreaterThan(200);
});

describe('bytes that were changed', () => {
  const change = fc.record({
    at: fc.nat({ max: 100_000 }),
    removed: fc.integer({ min: 0, max: 3 }),
    put: fc.uint8Array({ maxLength: 3 }),
  });
  const changed = (body: Buffer, changes: readonly { at: number; removed: number; put: Uint8Array }[]) =>
    changes.reduce((before, { at, removed, put }) => {
      const place = at % (before.length + 1);
      return Buffer.concat([before.subarray(0, place), put, before.subarray(place + removed)]);
    }, body);

  test.each([
    ['before compression', true],
    ['after it', false],
  ])('%s are taken, or refused with the place and a status that is documented', async (_, isBefore) => {
    const counts = { taken: 0, refused: 0 };
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        anyExport,
        encodingNames,
        compressionNames,
        changes,
        async (message, encoding, compression, made) => {
          const compress = compressions[compression];
          const whole = encodings[encoding](message);
          const body = isBefore ? compress(changed(whole, made)) : changed(compress(whole), made);
          const { error, events } = await outcomeOf(body, encoding, compression, 'edge_logs');
          if (error === undefined) {
            counts.taken++;
            return;
          }
          counts.refused++;
          expect(events).toEqual([]);
          if (!(error instanceof ServiceError)) throw error;
          expect([400, 413, 422], error.message).toContain(error.status);
          if (error.code !== 'request.malformed') return;
          // The body as a whole may be what is wrong.
          expect(error.message).toMatch(
            / at byte \d| at its byte \d|line \d+, column \d|\[\d+\]|the body is |is not a complete, valid|resourceLogs is |body is empty|several JSON values/,
          );
        },
      ),
      { seed, numRuns: 2000 },
    );
    expect(counts.taken).toBeGreaterThan(50);
    expect(counts.refused).toBeGreaterThan(100);
  });
});

describe('bounds', () => {
  test('as many records as are allowed are taken, and one more refuses the request, in both encodings', async () => {
    for (const encoding of ['protobuf', 'json'] as const) {
      for (const [count, accepted] of [
        [limits.eventsMax, limits.eventsMax],
        [limits.eventsMax + 1, 0],
      ] as const) {
        const logRecords = Array.from({ length: count }, (_, n) => ({ body: { intValue: String(n) } }));
        const body = encodings[encoding]({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
        const { error, events } = await outcomeOf(body, encoding, 'identity', 'edge_logs');
        expect(events).toHaveLength(accepted);
        if (accepted === 0) expect(error).toMatchObject({ code: 'ingest.too_many_events' });
      }
    }
  });

  test('a record of many attributes is too large by itself, and the others are taken', async () => {
    const attributes = Array.from({ length: 300 }, (_, n) => ({ key: `k${n}`, value: { boolValue: true } }));
    const good = { timeUnixNano: String(arrivalMicros * 1000), body: { stringValue: 'good' } };
    for (const encoding of ['protobuf', 'json'] as const) {
      const body = compressions.gzip(
        encodings[encoding]({ resourceLogs: [{ scopeLogs: [{ logRecords: [good, { attributes }] }] }] }),
      );
      const { answer } = await outcomeOf(body, encoding, 'gzip', 'edge_logs');
      expect(answer).toMatchObject({ accepted: 1, rejected: [{ index: 1, code: 'event.too_large' }] });
    }
  });
});
