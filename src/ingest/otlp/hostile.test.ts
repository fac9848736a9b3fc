import { describe, expect, test } from 'vitest';
import { exportOf, type OtlpValue, protobufOf } from '../../../test/support/otlpMessage.ts';
import { SeededRandom } from '../../demo/seededRandom.ts';
import type { DecodeLimits } from '../protocol.ts';
import { decodeOtlp } from './decodeOtlp.ts';
import type { OtlpFormat } from './otlpFormat.ts';

const limits: DecodeLimits = { eventsMax: 1000, eventBytesMax: 1_000_000, expandedBytesMax: 10_000_000 };

const decode = async (body: Uint8Array | string, format: OtlpFormat = 'otlp_protobuf') =>
  (await decodeOtlp(Buffer.from(body), format, limits)).events;

/** A message that holds the bytes in its field. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

const record = (bytes: Uint8Array) => field(1, field(2, field(2, bytes)));

const malformed = { code: 'request.malformed', status: 400 };

describe('protobuf', () => {
  const whole = Buffer.from(protobufOf(exportOf({ body: { stringValue: 'a message' }, severityNumber: 9 })));

  test('that is cut off is refused at every place, unless a whole message ends there', async () => {
    for (let length = 1; length < whole.length; length++) {
      await expect(decode(whole.subarray(0, length)), `${length} bytes`).rejects.toMatchObject(malformed);
    }
    expect(await decode(whole)).toHaveLength(1);
    expect(await decode('')).toEqual([]);
  });

  test.each<[string, Uint8Array]>([
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a length that no integer holds', Buffer.from([0x0a, ...Array<number>(20).fill(0xff)])],
    ['field number 0', Buffer.from([0x02, 0x00])],
    ['an unknown wire type', Buffer.from([0x0f, 0x00])],
    ['the end of a group that did not begin', Buffer.from([0x0c])],
    ['a group that does not end', Buffer.from([0x1b, 0x08, 0x01])],
    ['groups in groups', Buffer.alloc(1_000_000, 0x1b)],
    ['a varint that does not end', Buffer.concat([Buffer.from([0x10]), Buffer.alloc(100, 0xff)])],
    ['JSON', Buffer.from('{"resourceLogs":[]}')],
    ['broken bytes inside a record', record(Buffer.from([0x2a, 0x05, 0x01]))],
  ])('is refused with %s', async (_what, body) => {
    await expect(decode(body)).rejects.toMatchObject({ ...malformed, message: expect.stringContaining('byte ') });
  });

  test('nested without end is rejected alone, and what is nested as deep as allowed is taken', async () => {
    const nested = (depth: number): OtlpValue =>
      depth === 0 ? { intValue: '1' } : { arrayValue: { values: [nested(depth - 1)] } };
    expect(await decode(protobufOf(exportOf({ body: nested(49) })))).toMatchObject([{ kind: 'value' }]);
    expect(await decode(protobufOf(exportOf({ body: nested(50) }, { body: nested(1) })))).toMatchObject([
      { kind: 'rejected', code: 'event.malformed', message: expect.stringContaining('nested more than 50 deep') },
      { kind: 'value' },
    ]);
    let value: Uint8Array = Buffer.alloc(0);
    for (let depth = 0; depth < 20_000; depth++) value = field(depth % 2 === 0 ? 1 : 5, value);
    expect(await decode(record(field(5, value)))).toMatchObject([{ kind: 'rejected' }]);
  });

  test('of millions of empty messages is refused for their number', async () => {
    await expect(decode(Buffer.alloc(2_000_000, Buffer.from([0x0a, 0x00])))).rejects.toMatchObject({
      code: 'ingest.too_many_events',
    });
    await expect(decode(field(1, Buffer.alloc(2_000_000, Buffer.from([0x12, 0x00]))))).rejects.toMatchObject({
      code: 'ingest.too_many_events',
    });
  });

  test('that is larger than an event may be is rejected without being decoded', async () => {
    const large = field(2, Buffer.alloc(limits.eventBytesMax + 1, 0xff));
    const small = field(2, Buffer.alloc(0));
    expect(await decode(field(1, field(2, Buffer.concat([large, small]))))).toMatchObject([
      { kind: 'rejected', code: 'event.too_large' },
      { kind: 'value' },
    ]);
  });

  test('with text that is not UTF-8 rejects that record alone; in a resource it refuses the request', async () => {
    const bad = field(2, field(5, field(1, Buffer.from([0x61, 0xff]))));
    const good = field(2, field(5, field(1, Buffer.from('é'))));
    const lone = field(2, field(5, field(1, Buffer.from([0xed, 0xa0, 0x80]))));
    expect(await decode(field(1, field(2, Buffer.concat([bad, good, lone]))))).toMatchObject([
      { kind: 'rejected', code: 'event.malformed', message: expect.stringContaining('not UTF-8 at its byte 2') },
      { value: { event_message: 'é' } },
      { value: { event_message: '\ufffd' } },
    ]);
    const resource = field(1, field(1, field(1, Buffer.from([0xff]))));
    await expect(decode(field(1, resource))).rejects.toMatchObject(malformed);
  });

  test('passes over unknown fields, known ones of another wire type, and the order of fields', async () => {
    const message = field(5, field(1, Buffer.from('x')));
    const strange = Buffer.concat([
      Buffer.from([0x28, 0x05]), // the body as a varint
      Buffer.from([0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06]), // a group of field 100
      field(99, Buffer.from('?')),
      message,
    ]);
    const scopeLast = Buffer.concat([field(2, strange), field(1, field(1, Buffer.from('scope')))]);
    const resourceLast = Buffer.concat([
      field(2, scopeLast),
      field(1, field(1, Buffer.concat([field(1, Buffer.from('k')), field(2, field(1, Buffer.from('v')))]))),
    ]);
    expect(await decode(field(1, resourceLast))).toMatchObject([
      { value: { event_message: 'x', metadata: { resource: { k: 'v' }, scope: { name: 'scope' } } } },
    ]);
  });

  test('damaged anyhow is taken or refused with a documented error', async () => {
    const random = new SeededRandom('otlp');
    let refused = 0;
    for (let run = 0; run < 20_000; run++) {
      const damaged = Buffer.from(whole);
      for (let times = random.integer(1, 3); times > 0; times--) {
        damaged[random.integer(0, damaged.length - 1)] = random.integer(0, 255);
      }
      try {
        for (const event of await decode(damaged)) expect(['value', 'rejected']).toContain(event.kind);
      } catch (error) {
        expect(error, damaged.toString('hex')).toMatchObject(malformed);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(1000);
  });
});

describe('JSON', () => {
  test.each(['"scopeLogs":[]', '"scopeLogs":[{MANY,"logRecords":[{}]}]', 'MANY,"scopeLogs":[{"logRecords":[{}]}]'])(
    'is refused if records may be among members that are not read: %s',
    async (resourceLogs) => {
      const many = Array.from({ length: 100 }, (_, n) => `"m${n}":1`).join();
      // The escape makes our own reader read it.
      const body = `{"x":"\\ud83d\\ude00","resourceLogs":[{${resourceLogs.replace('MANY', many)}}]}`;
      const small = { eventsMax: 10, eventBytesMax: 100, expandedBytesMax: 10_000 };
      const read = decodeOtlp(Buffer.from(body), 'otlp_json', small);
      if (!resourceLogs.includes('MANY')) expect((await read).events).toEqual([]);
      else
        await expect(read).rejects.toMatchObject({
          ...malformed,
          message: expect.stringContaining('too many members'),
        });
    },
  );

  test.each<[string, string, string]>([
    ['text that is no JSON', '{"resourceLogs":', 'not JSON'],
    ['nothing', '', 'empty'],
    ['an array', '[]', 'the body is (an array); it must be an object'],
    ['two values', '{}{}', 'several JSON values'],
    ['a member of the wrong type', '{"resourceLogs":{}}', 'resourceLogs is (an object); it must be an array'],
    ['one deeper', '{"resourceLogs":[{"scopeLogs":[5]}]}', 'resourceLogs[0].scopeLogs[0] is 5'],
    ['a resource', '{"resourceLogs":[{"resource":{"attributes":[{"key":1}]}}]}', 'resource.attributes[0].key is 1'],
    ['nesting', `{"resourceLogs":${'['.repeat(300)}`, 'not JSON'],
  ])('is refused if it is %s', async (_what, body, message) => {
    await expect(decode(body, 'otlp_json')).rejects.toMatchObject({
      ...malformed,
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, string]>([
    ['{"timeUnixNano":"1.5"}', 'logRecords[1].timeUnixNano is "1.5"; it must be nanoseconds'],
    ['{"timeUnixNano":-1}', 'timeUnixNano is -1'],
    ['{"timeUnixNano":"18446744073709551616"}', 'timeUnixNano'],
    ['{"traceId":"W47/95gDgQPSabYzgT/GDA=="}', 'traceId is "W47/95gDgQPSabYzgT/GDA=="; it must be hexadecimal text'],
    ['{"severityNumber":"SEVERITY_NUMBER_INFO"}', 'severityNumber'],
    ['{"body":"text"}', 'body is "text"; it must be an object'],
    ['{"body":{"intValue":"9223372036854775808"}}', 'body.intValue'],
    ['{"body":{"stringValue":"a","intValue":1}}', 'has both stringValue and intValue'],
    ['{"body":{"bytesValue":"%"}}', 'base64'],
    ['{"attributes":[{"key":"a","value":{"arrayValue":{"values":[{"doubleValue":"x"}]}}}]}', 'values[0].doubleValue'],
    ['5', 'logRecords[1] is 5; it must be an object'],
  ])('rejects the record %s alone', async (bad, message) => {
    const good =
      '{"timeUnixNano":1777629630000123999,"body":{"intValue":9007199254740993},"unknown":{"a":1},"flags":null}';
    const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${good},${bad}]}]}],"more":1}`;
    expect(await decode(body, 'otlp_json')).toMatchObject([
      { value: { timestamp: '2026-05-01T10:00:30.000123999Z', event_message: 9007199254740993n } },
      { kind: 'rejected', code: 'event.malformed', message: expect.stringContaining(message) },
    ]);
  });
});
