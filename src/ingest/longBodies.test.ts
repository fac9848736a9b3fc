import { afterEach, describe, expect, test, vi } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { decode } from './decode.ts';
import { eventReadingLimits } from './eventSize.ts';
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

describe.each(['x', 'é', '😀'])('a long body or line becomes no long string: of %s', (unit) => {
  const values = Array.from({ length: 5_000 }, (_, n) => ({ n, m: unit.repeat(1_000) }));
  const events = values.map((value) => ({ kind: 'value' as const, value }));
  const records = values.map(({ m }) => ({ body: { stringValue: m } }));

  async function longestString<T>(read: () => Promise<T>): Promise<{ value: T; bytes: number }> {
    const decoded = vi.spyOn(Buffer.prototype, 'toString');
    const value = await read();
    return { value, bytes: Math.max(...decoded.mock.contexts.map((bytes) => (bytes as Buffer).length)) };
  }

  test.each<[string, unknown, 'json' | 'ndjson', unknown]>([
    ['an array', values, 'json', events],
    ['a batch', { batch: values }, 'json', events],
    ['an event', { values }, 'json', [{ kind: 'value', value: { values } }]],
    ['a line', { values }, 'ndjson', [{ kind: 'value', value: { values } }]],
  ])('%s', async (_what, sent, format, expected) => {
    const { value, bytes } = await longestString(() => decode(Buffer.from(JSON.stringify(sent)), format, 10_000));
    expect(value.events).toEqual(expected);
    expect(bytes).toBeLessThan(mebibyte);
  });

  test('an export of OTLP', async () => {
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] });
    const { value, bytes } = await longestString(() => otlp(body, 'otlp_json'));
    expect(value.events.map((event) => event.kind === 'value' && event.value)).toEqual(
      values.map(({ m }) => expect.objectContaining({ event_message: m })),
    );
    expect(bytes).toBeLessThan(mebibyte);
  });

  test.each<[string, (text: string) => unknown, 'json' | 'ndjson']>([
    ['text of an event', (text) => ({ m: text }), 'json'],
    ['text of a line', (text) => ({ m: text }), 'ndjson'],
    ['the name of a member', (text) => ({ [text]: 1 }), 'json'],
  ])('%s keeps only a start that is too large for an event', async (_what, sent, format) => {
    const long = Buffer.from(JSON.stringify(sent(unit.repeat(6 * mebibyte))));
    const { value, bytes } = await longestString(() => decode(long, format, 10, eventReadingLimits(limits)));
    const [event] = value.events;
    const read = JSON.stringify(event?.kind === 'value' && event.value);
    expect([read.length > mebibyte, read.length < 1.5 * mebibyte, bytes < mebibyte]).toEqual([true, true, true]);
  });
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

test.each([
  ['an array', '[', ']'],
  ['a batch', '{"batch":[', ']}'],
])(
  '%s that is long, with a byte that is no UTF-8 or with an error, is refused with the place',
  async (_what, before, after) => {
    const start = `${before}${`{"é":"${'x'.repeat(1_000)}"},\n`.repeat(5_000)}`;
    for (const [end, place] of [
      [Buffer.from([0xff]), 'line 5001, column 1'],
      [Buffer.from('{"a":}]'), 'line 5001, column 6'],
      [Buffer.from(after), 'line 5001, column 1'],
      [Buffer.from(`1${after} !`), `line 5001, column ${after.length + 3}`],
    ] as const) {
      const refused = decode(Buffer.concat([Buffer.from(start), end]), 'json', 200_000);
      await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(place) });
    }
  },
);

test('a long line with a byte that is no UTF-8 or with an error is rejected with the place, and later lines are read', async () => {
  const start = `{"m":"${'é'.repeat(3 * mebibyte)}"`;
  const lines = [Buffer.from(`${start}!}\n${start}`), Buffer.from([0xff]), Buffer.from('}\n{"a":1}')];
  const { events } = await decode(Buffer.concat(lines), 'ndjson', 10);
  const column = 3 * mebibyte + 8;
  expect(events).toEqual([
    expect.objectContaining({
      message: expect.stringContaining(`Line 1 is not JSON: expected ',' or '}', found '!' at column ${column}.`),
    }),
    expect.objectContaining({ message: expect.stringContaining(`Line 2 is not UTF-8 at byte ${6 * mebibyte + 8}.`) }),
    { kind: 'value', value: { a: 1 } },
  ]);
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
    const before = `${part === '\n' ? '' : '"'}${part.repeat(4_000_000)}`;
    const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff])]);
    const place = part === '\n' ? 'line 4000001, column 1 ' : 'line 1, column 4000002 ';
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
