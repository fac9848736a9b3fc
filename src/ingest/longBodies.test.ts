import { afterEach, describe, expect, test, vi } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { decode } from './decode.ts';
import { decodeOtlp } from './otlp/decodeOtlp.ts';
import type { OtlpFormat } from './otlp/otlpFormat.ts';
import type { DecodeLimits } from './protocol.ts';

const mebibyte = 1024 * 1024;
const limits: DecodeLimits = { eventsMax: 50_000, eventBytesMax: mebibyte, expandedBytesMax: 64 * mebibyte };
const otlp = (body: string | Uint8Array, format: OtlpFormat) => decodeOtlp(Buffer.from(body), format, limits);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('lines', () => {
  test('that are blank are passed over, and nothing is made for each', async () => {
    const cut = vi.spyOn(Buffer.prototype, 'subarray');
    const body = Buffer.from(`${'\n \r\n'.repeat(100_000)}{"a":1}\n`);
    const { events } = await decode(body, 'ndjson', 10);
    expect(events).toEqual([{ kind: 'value', value: { a: 1 } }]);
    expect(cut.mock.calls.length).toBeLessThan(10);
  });

  test('that are no JSON are counted as their own work, however short they are', async () => {
    const body = Buffer.from('x\n'.repeat(40_000));
    expect(await turnsTaken(() => decode(body, 'ndjson', 50_000))).toBeGreaterThan(5);
  });
});

test.each(['x', 'é', '😀'])('a long array becomes no long string: of %s', async (unit) => {
  const decoded = vi.spyOn(Buffer.prototype, 'toString');
  const values = Array.from({ length: 10_000 }, (_, n) => ({ n, m: unit.repeat(500) }));
  const body = Buffer.from(JSON.stringify(values));
  const { events } = await decode(body, 'json', 10_000);
  expect(events).toEqual(values.map((value) => ({ kind: 'value', value })));
  expect(Math.max(...decoded.mock.contexts.map((bytes) => (bytes as Buffer).length))).toBeLessThan(mebibyte);
});

test.each([
  ['a lone surrogate', Buffer.from([0xed, 0xa0, 0xbd]), 'aé\ufffd'],
  ['an escape', Buffer.from('\\ud83d\\ude00'), 'aé😀'],
])('%s in a long array is read as in a short one', async (_what, bytes, expected) => {
  const event = (...parts: readonly Uint8Array[]) =>
    Buffer.concat([Buffer.from('{"m":"aé'), ...parts, Buffer.from('"}')]);
  const long = Buffer.concat([
    Buffer.from('['),
    ...Array(5_000).fill(Buffer.from(`{"a":"${'x'.repeat(1_000)}"},`)),
    event(bytes),
    Buffer.from(']'),
  ]);
  const { events } = await decode(long, 'json', 200_000);
  expect(events.length).toBe(5_001);
  expect(events.at(-1)).toEqual({ kind: 'value', value: { m: expected } });
});

test('a long array with a byte that is no UTF-8, or with an error, is refused with the place', async () => {
  const start = `[${`{"é":"${'x'.repeat(1_000)}"},\n`.repeat(5_000)}`;
  for (const [end, place] of [
    [Buffer.from([0xff]), 'line 5001, column 1'],
    [Buffer.from('{"a":}]'), 'line 5001, column 6'],
    [Buffer.from(']'), 'line 5001, column 1'],
    [Buffer.from('1] x'), 'line 5001, column 4'],
  ] as const) {
    const refused = decode(Buffer.concat([Buffer.from(start), end]), 'json', 200_000);
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(place) });
  }
});

test('a long text that is not ASCII is read as the same text, and in turns', async () => {
  const text = 'aé😀'.repeat(1_000_000);
  let read: unknown;
  const turns = await turnsTaken(async () => {
    read = (await decode(Buffer.from(JSON.stringify([{ m: text }])), 'json', 10)).events;
  });
  expect(read).toEqual([{ kind: 'value', value: { m: text } }]);
  expect(turns).toBeGreaterThan(2);
});

test('a byte that is no UTF-8 is told by its place in a long text', async () => {
  const body = Buffer.concat([Buffer.from('é'.repeat(2_000_000)), Buffer.from([0xff])]);
  await expect(decode(body, 'json', 10)).rejects.toMatchObject({ message: expect.stringContaining('(byte 4000001)') });
});

test('the place of a byte that is no UTF-8 is found in turns', async () => {
  for (const part of ['\n', 'x', 'é']) {
    const body = Buffer.concat([Buffer.from(part.repeat(4_000_000)), Buffer.from([0xff])]);
    const place = part === '\n' ? 'line 4000001, column 1 ' : 'line 1, column 4000001 ';
    const turns = new Turns(everyLookEndsTurn());
    const taken = await turnsTaken(async () => {
      const refused = expect(decode(body, 'json', 10, {}, turns)).rejects;
      await refused.toMatchObject({ message: expect.stringContaining(place) });
    });
    expect(taken).toBeGreaterThan((4 * body.length) / mebibyte);
  }
});

test('the column of a byte that is no UTF-8 counts half of a pair as one character', async () => {
  const body = Buffer.concat([Buffer.from('["é\n😀'), Buffer.from([0xed, 0xa0, 0xbd, 0xff])]);
  await expect(decode(body, 'json', 10)).rejects.toMatchObject({ errors: [{ line: 2, column: 3 }] });
});

describe('OTLP', () => {
  const field = (number: number, content: Uint8Array) => {
    const length: number[] = [];
    for (let rest = content.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content]);
  };
  const unknown = Buffer.alloc(8 * mebibyte, Buffer.from([15 * 8, 1]));

  test.each([
    ['the request', unknown],
    ['what holds a resource', field(1, unknown)],
    ['what holds a scope', field(1, field(2, unknown))],
  ])('fields that are not known are passed over in turns: of %s', async (_where, body) => {
    expect(await turnsTaken(() => otlp(body, 'otlp_protobuf'))).toBeGreaterThan(3);
  });

  test.each<[OtlpFormat, (pairs: number) => string | Uint8Array]>([
    [
      'otlp_json',
      (pairs) =>
        JSON.stringify({
          resourceLogs: [
            {
              resource: { attributes: Array.from({ length: pairs }, (_, n) => ({ key: `name ${n}` })) },
              scopeLogs: [{ logRecords: [{}, {}] }],
            },
          ],
        }),
    ],
    [
      'otlp_protobuf',
      (pairs) => {
        const pair = (n: number) => field(1, field(1, Buffer.from(`name ${n}`)));
        const resource = field(1, Buffer.concat(Array.from({ length: pairs }, (_, n) => pair(n))));
        const record = field(2, Buffer.alloc(0));
        return field(1, Buffer.concat([resource, field(2, Buffer.concat([record, record]))]));
      },
    ],
  ])(
    'a resource larger than an event may be is not read, and none of its records is taken (%s)',
    async (format, of) => {
      const { events } = await otlp(of(400_000), format);
      expect(events).toHaveLength(2);
      for (const event of events) expect(event).toMatchObject({ kind: 'rejected', code: 'event.too_large' });
      expect((await otlp(of(1000), format)).events).toMatchObject([{ kind: 'value' }, { kind: 'value' }]);
    },
  );

  test('an object of JSON gets no more members than an event can have, and the request is refused that has', async () => {
    const members = Array.from({ length: 600_000 }, (_, n) => `"${n}":1`).join(',');
    const body = `{${members},"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`;
    const message = expect.stringContaining('more than 209717 members');
    await expect(otlp(body, 'otlp_json')).rejects.toMatchObject({ code: 'request.malformed', message });
  });

  describe.each(['array', 'kvlist'] as const)('a value that is a list of very many (%s)', (kind) => {
    const count = 50_000;
    const elements = Array.from({ length: count }, (_, n) =>
      field(1, kind === 'array' ? Buffer.alloc(0) : field(1, Buffer.from(`k${n}`))),
    );
    const protobufValue = field(kind === 'array' ? 5 : 6, Buffer.concat(elements));
    const values = Array.from({ length: count }, (_, n) => (kind === 'array' ? {} : { key: `k${n}` }));
    const value = { [`${kind}Value`]: { values } };
    const stored = kind === 'array' ? Array(count).fill(null) : { k0: null, k49999: null };
    const protobuf = (record: Uint8Array) => field(1, field(2, field(2, record)));
    const json = (record: unknown) => JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    const attribute = Buffer.concat([field(1, Buffer.from('a')), field(2, protobufValue)]);

    test.each<[string, OtlpFormat, string | Uint8Array, object]>([
      ['a body', 'otlp_protobuf', protobuf(field(5, protobufValue)), { event_message: stored }],
      ['a body', 'otlp_json', json({ body: value }), { event_message: stored }],
      ['an attribute', 'otlp_protobuf', protobuf(field(6, attribute)), { metadata: { attributes: { a: stored } } }],
      [
        'an attribute',
        'otlp_json',
        json({ attributes: [{ key: 'a', value }] }),
        { metadata: { attributes: { a: stored } } },
      ],
    ])('is read in turns: %s, %s', async (_, format, body, event) => {
      let events: unknown;
      const turns = await turnsTaken(async () => {
        ({ events } = await decodeOtlp(Buffer.from(body), format, limits, new Turns(everyLookEndsTurn())));
      });
      expect(events).toMatchObject([{ kind: 'value', value: event }]);
      expect(turns).toBeGreaterThan(40);
    });
  });

  test('a resource of many attributes is measured in turns', async () => {
    const pairs = Array.from({ length: 50_000 }, (_, n) => field(1, field(1, Buffer.from(`k${n}`))));
    const scope = field(2, field(2, Buffer.alloc(0)));
    const body = field(1, Buffer.concat([field(1, Buffer.concat(pairs)), scope]));
    const turns = new Turns(everyLookEndsTurn());
    const taken = await turnsTaken(() => decodeOtlp(body, 'otlp_protobuf', limits, turns));
    expect(taken).toBeGreaterThan(50_000 / 1024 + 50_000 / 8192);
  });

  test('a record that is larger than an event may be, by far, is not read', async () => {
    const attributes = Array.from({ length: 600_000 }, (_, n) => ({ key: `name ${n}` }));
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes }, {}] }] }] });
    const { events } = await otlp(body, 'otlp_json');
    expect(events).toMatchObject([{ kind: 'rejected', code: 'event.too_large' }, { kind: 'value' }]);
  });
});
