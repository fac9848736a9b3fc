import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exportOf,
  type OtlpExport,
  type OtlpRecord,
  type OtlpValue,
  protobufOf,
} from '../../../test/support/otlpMessage.ts';
import type { JsonValue } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import type { DecodeLimits } from '../protocol.ts';
import { decodeOtlp } from './decodeOtlp.ts';
import type { OtlpFormat } from './otlpFormat.ts';

const limits: DecodeLimits = { eventsMax: 1000, eventBytesMax: 1_000_000, expandedBytesMax: 10_000_000 };

async function eventsOf(body: Uint8Array | string, format: OtlpFormat, more: Partial<DecodeLimits> = {}) {
  const { events } = await decodeOtlp(Buffer.from(body), format, { ...limits, ...more });
  return events.map((event) => (event.kind === 'value' ? (JSON.parse(writeJson(event.value)) as JsonValue) : event));
}

const formats: readonly (readonly [OtlpFormat, (message: OtlpExport) => Uint8Array])[] = [
  ['otlp_protobuf', protobufOf],
  ['otlp_json', (message) => Buffer.from(JSON.stringify(message))],
];

describe.each(formats)('%s', (format, encode) => {
  const only = async (record: OtlpRecord) => (await eventsOf(encode(exportOf(record)), format))[0];

  test('gives a record with everything as an event', async () => {
    const message: OtlpExport = {
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] },
          scopeLogs: [
            {
              scope: { name: 'app', version: '1.2', attributes: [{ key: 'a', value: { boolValue: true } }] },
              logRecords: [
                {
                  timeUnixNano: '1777629630000123999',
                  observedTimeUnixNano: '1777629631000000000',
                  severityNumber: 17,
                  severityText: 'Error',
                  body: { stringValue: 'payment failed' },
                  attributes: [
                    { key: 'project', value: { stringValue: 'blueberry' } },
                    { key: 'http.status_code', value: { intValue: '502' } },
                  ],
                  flags: 1,
                  traceId: '5B8EFFF798038103D269B633813FC60C',
                  spanId: 'EEE19B7EC3C1B174',
                  eventName: 'payment',
                },
              ],
            },
          ],
        },
      ],
    };
    expect(await eventsOf(encode(message), format)).toEqual([
      {
        timestamp: '2026-05-01T10:00:30.000123999Z',
        event_message: 'payment failed',
        project: 'blueberry',
        metadata: {
          resource: { 'service.name': 'checkout' },
          scope: { name: 'app', version: '1.2', attributes: { a: true } },
          attributes: { project: 'blueberry', 'http.status_code': 502 },
          severity: 'Error',
          severity_number: 17,
          trace_id: '5b8efff798038103d269b633813fc60c',
          span_id: 'eee19b7ec3c1b174',
          flags: 1,
          event_name: 'payment',
        },
      },
    ]);
  });

  test.each<[string, OtlpRecord, unknown]>([
    [
      'the time of the record',
      { timeUnixNano: '1000', observedTimeUnixNano: '2000' },
      '1970-01-01T00:00:00.000001000Z',
    ],
    [
      'else the time when it was observed',
      { observedTimeUnixNano: '1777629630999999999' },
      '2026-05-01T10:00:30.999999999Z',
    ],
    [
      'also where the time is zero',
      { timeUnixNano: '0', observedTimeUnixNano: '1000' },
      '1970-01-01T00:00:00.000001000Z',
    ],
    ['the latest that 64 bits can say', { timeUnixNano: '18446744073709551615' }, '2554-07-21T23:34:33.709551615Z'],
    ['else none, so that its arrival counts', {}, undefined],
  ])('uses as timestamp %s', async (_what, record, timestamp) => {
    expect(await only(record)).toMatchObject(timestamp === undefined ? {} : { timestamp });
    if (timestamp === undefined) expect(await only(record)).not.toHaveProperty('timestamp');
  });

  test.each<[OtlpValue | undefined, unknown]>([
    [{ stringValue: 'text' }, 'text'],
    [{ stringValue: '' }, ''],
    [{ boolValue: false }, false],
    [{ intValue: '9007199254740993' }, 9007199254740993n],
    [{ intValue: '-9223372036854775808' }, -9223372036854775808n],
    [{ doubleValue: 0.1 }, 0.1],
    [{ doubleValue: 'NaN' }, 'NaN'],
    [{ doubleValue: '-Infinity' }, '-Infinity'],
    [{ bytesValue: 'AQL/' }, 'AQL/'],
    [{ arrayValue: { values: [{ intValue: '1' }, {}, { arrayValue: { values: [] } }] } }, [1, null, []]],
    [
      {
        kvlistValue: {
          values: [
            { key: '2', value: { intValue: '1' } },
            { key: '__proto__', value: { stringValue: 'x' } },
            { key: '2', value: { intValue: '3' } },
            { key: 'none' },
          ],
        },
      },
      { text: '{"2":3,"__proto__":"x","none":null}' },
    ],
    [{}, null],
    [undefined, null],
  ])('reads the value %j', async (value, expected) => {
    const record = value === undefined ? {} : { body: value, attributes: [{ key: 'a', value }] };
    const [event] = (await decodeOtlp(encode(exportOf(record)), format, limits)).events;
    if (event?.kind !== 'value') throw new Error('the record was rejected');
    const { event_message: message, metadata } = event.value as {
      event_message: JsonValue;
      metadata: { attributes?: { a: JsonValue } };
    };
    const text = (of: JsonValue | undefined) => writeJson(of ?? null);
    const wanted = (expected as { text?: string } | null)?.text ?? text(expected as JsonValue);
    expect(text(message)).toBe(wanted);
    if (value !== undefined) expect(text(metadata.attributes?.a)).toBe(wanted);
  });

  test('names a severity that is only a number, and gives the last value of an attribute that comes twice', async () => {
    const attributes = [
      { key: 'a', value: { intValue: '1' } },
      { key: 'a', value: { intValue: '2' } },
    ];
    expect(await only({ severityNumber: 10, attributes })).toMatchObject({
      metadata: { severity: 'INFO2', severity_number: 10, attributes: { a: 2 } },
    });
    expect(await only({ severityNumber: 99 })).toMatchObject({ metadata: { severity_number: 99 } });
  });

  test.each<[string, readonly string[], readonly string[], unknown]>([
    ['of the record before that of the resource', ['r'], ['s'], 'r'],
    ['of the resource where the record has none', [], ['s'], 's'],
    ['of the resource where that of the record is empty', [''], ['s'], 's'],
    ['of nobody, so that the default counts', [], [], undefined],
  ])('uses the project %s', async (_what, ofRecord, ofResource, project) => {
    const attribute = (value: string) => ({ key: 'project', value: { stringValue: value } });
    const message: OtlpExport = {
      resourceLogs: [
        {
          resource: { attributes: ofResource.map(attribute) },
          scopeLogs: [{ logRecords: [{ attributes: ofRecord.map(attribute) }] }],
        },
      ],
    };
    const [event] = await eventsOf(encode(message), format);
    expect((event as { project?: unknown }).project).toBe(project);
  });

  test('leaves ids out that are all zeros', async () => {
    expect(await only({ traceId: '0'.repeat(32), spanId: '0'.repeat(16) })).toMatchObject({ metadata: {} });
    expect(JSON.stringify(await only({ traceId: '0'.repeat(32) }))).not.toContain('trace_id');
  });

  test('takes an export without records', async () => {
    expect(await eventsOf(encode({ resourceLogs: [] }), format)).toEqual([]);
    expect(await eventsOf(encode({ resourceLogs: [{}, { scopeLogs: [{}] }] }), format)).toEqual([]);
  });

  test('refuses more records than allowed, and more scopes than records could have', async () => {
    const four = exportOf({}, {}, {}, {});
    await expect(eventsOf(encode(four), format, { eventsMax: 3 })).rejects.toMatchObject({
      code: 'ingest.too_many_events',
    });
    const empty = { resourceLogs: Array.from({ length: 100 }, () => ({ scopeLogs: [] })) };
    await expect(eventsOf(encode(empty), format, { eventsMax: 3 })).rejects.toMatchObject({
      code: 'ingest.too_many_events',
    });
    expect(await eventsOf(encode(four), format, { eventsMax: 4 })).toHaveLength(4);
  });

  test('refuses a resource that would be stored with very many records', async () => {
    const message: OtlpExport = {
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'a', value: { stringValue: 'x'.repeat(100_000) } }] },
          scopeLogs: [{ logRecords: Array.from({ length: 500 }, () => ({})) }],
        },
      ],
    };
    await expect(eventsOf(encode(message), format)).rejects.toMatchObject({ code: 'request.too_large' });
  });
});

const anyValue = fc.letrec<{ value: OtlpValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme' }).map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ intValue: String(value) })),
    fc.double().map((value) => ({ doubleValue: Number.isFinite(value) ? value : String(value) })),
    fc.uint8Array().map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 })
      .map((list) => ({ kvlistValue: { values: list.map(([key, value]) => ({ key, value })) } })),
  ),
})).value;

test('both encodings of one export give the same events', async () => {
  const record = fc.record({
    body: anyValue,
    attributes: fc.array(fc.record({ key: fc.string(), value: anyValue }), { maxLength: 4 }),
    severityNumber: fc.integer({ min: 0, max: 30 }),
    timeUnixNano: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 3 }), async (records) => {
      const message = exportOf(...records);
      const [protobuf, json] = await Promise.all(
        formats.map(async ([format, encode]) => (await decodeOtlp(encode(message), format, limits)).events),
      );
      const texts = (events: typeof protobuf) =>
        events?.map((event) => (event.kind === 'value' ? writeJson(event.value) : event.message));
      expect(texts(protobuf)).toEqual(texts(json));
      expect(protobuf).toHaveLength(records.length);
    }),
    { numRuns: 300 },
  );
});
