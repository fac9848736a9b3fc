import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonValue } from '../core/jsonValue.ts';
import type { BodyFormat } from './bodyFormat.ts';
import { bodyFormat } from './bodyFormat.ts';
import { decode } from './decode.ts';

const decoded = (body: string | Uint8Array, format: BodyFormat = 'json', eventsMax = 100) =>
  decode(typeof body === 'string' ? Buffer.from(body) : body, format, eventsMax);
const eventsOf = async (body: string | Uint8Array, format: BodyFormat = 'json') => (await decoded(body, format)).events;
const values = (...list: JsonValue[]) => list.map((value) => ({ kind: 'value', value }));
const malformed = (message: unknown) => ({ kind: 'rejected', code: 'event.malformed', message });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('content types', () => {
  test.each([
    [undefined, 'json'],
    ['', 'json'],
    ['application/json', 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/json;charset="UTF-8"', 'json'],
    ['application/json; charset=utf8; profile=x', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/jsonl; charset=us-ascii', 'ndjson'],
  ])('%s is read as %s', (contentType, format) => {
    expect(bodyFormat(contentType)).toBe(format);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/json, application/json',
    'application/jsonx',
    'json',
    ';',
    'application/json; charset=utf-16',
    'application/x-ndjson; charset=iso-8859-1',
  ])('%s is a 415', (contentType) => {
    expect(() => bodyFormat(contentType)).toThrow(
      expect.objectContaining({ code: 'request.unsupported_media_type', status: 415 }),
    );
  });
});

describe('JSON bodies', () => {
  test.each<[string, string, JsonValue[]]>([
    ['an object is one event', '{"a":1}', [{ a: 1 }]],
    ['an array is its elements', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['an empty array is an empty batch', '[]', []],
    ['elements are not flattened further', '[[{"a":1}],5,{"batch":[]}]', [[{ a: 1 }], 5, { batch: [] }]],
    ['batch is its elements', '{"batch":[{"a":1},{"a":2}]}', [{ a: 1 }, { a: 2 }]],
    ['an empty batch', '{"batch":[]}', []],
    [
      'batch beside other members is a member of an event',
      '{"batch":[{"a":1}],"event_message":"x"}',
      [{ batch: [{ a: 1 }], event_message: 'x' }],
    ],
    ['values after one another', '{"a":1}{"a":2}', [{ a: 1 }, { a: 2 }]],
    ['values on lines', '{"a":1}\n{"a":2}\r\n\n{"a":3}\n', [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['values of several kinds', '{"a":1}[{"a":2}]{"batch":[{"a":3}]}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['scalars are for normalisation to refuse', '5', [5]],
    ['a byte order mark is skipped', '\ufeff[{"a":1}]', [{ a: 1 }]],
    ['of duplicate keys the last counts', '{"a":1,"a":2}', [{ a: 2 }]],
    ['every digit is kept', '[{"a":12345678901234567}]', [{ a: 12345678901234567n }]],
    ['lone surrogates become U+FFFD', '{"a":"\\ud800"}', [{ a: '\ufffd' }]],
  ])('%s', async (_, body, expected) => {
    expect(await eventsOf(body)).toEqual(values(...expected));
  });

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['{"a":1', 'line 1, column 7'],
    ['{"a":1}\n{"a":}', 'line 2, column 6'],
    ['[{"a":1},\n {"b":\u0001}]', 'line 2, column 7'],
    ['hello', 'line 1, column 1'],
    ['{"batch":{"a":1}}', 'array'],
    ['{"batch":null,"source":"x"}', 'array'],
    [`${'['.repeat(300)}${']'.repeat(300)}`, 'line 1, column 201'],
  ])('%j is a 400 with the place', async (body, place) => {
    await expect(decoded(body)).rejects.toMatchObject({
      code: 'request.malformed',
      status: 400,
      message: expect.stringContaining(place),
    });
  });

  test('a body of several MiB is read like a small one', async () => {
    const element = JSON.stringify({ a: 'x'.repeat(1000), b: 1 });
    const body = `[${Array(4000).fill(element).join(',')}]`;
    expect((await decoded(body, 'json', 4000)).events).toEqual(Array(4000).fill(values(JSON.parse(element))[0]));
    await expect(decoded(`${body.slice(0, -1)},}`, 'json', 4000)).rejects.toMatchObject({
      message: expect.stringContaining(`column ${body.length + 1}`),
    });
  });

  test.each([
    ['a list', (events: string) => `[${events}]`],
    ['a batch', (events: string) => `{"batch":[${events}]}`],
    ['an event', (events: string) => `{"metadata":{"list":[${events}]}}`],
  ])(
    '%s of a MiB is left to JSON.parse as a whole, without looking for places to cut it first',
    async (_what, bodyOf) => {
      const element = JSON.stringify({ a: 'x'.repeat(1000), b: 1 });
      const body = bodyOf(Array(1000).fill(element).join(','));
      const parse = vi.spyOn(JSON, 'parse');
      await decoded(body, 'json', 1000);
      expect(parse.mock.calls).toEqual([[body]]);
    },
  );

  test('more events than allowed are a 413', async () => {
    expect((await decoded(`[${'1,'.repeat(99)}1]`)).events).toHaveLength(100);
    await expect(decoded(`[${'1,'.repeat(100)}1]`)).rejects.toMatchObject({
      code: 'ingest.too_many_events',
      status: 413,
    });
  });

  test.each([
    ['a list', `[${'{},'.repeat(1_000_000)}`],
    ['values one after another', `${'{} '.repeat(1_000_000)}[`],
  ])('of %s of several MiB no more is read than is needed to see that there are too many', async (_what, body) => {
    await expect(decoded(body)).rejects.toMatchObject({ code: 'ingest.too_many_events' });
    await expect(decoded(body, 'json', 2_000_000)).rejects.toMatchObject({ code: 'request.malformed' });
  });
});

describe('the source in the body', () => {
  test.each<[string, string | undefined, JsonValue[]]>([
    ['{"source":"edge_logs","a":1}', 'edge_logs', [{ a: 1 }]],
    ['{"batch":[{"a":1,"source":"stdout"}],"source":"edge_logs"}', 'edge_logs', [{ a: 1, source: 'stdout' }]],
    ['{"source":5,"a":1}', undefined, [{ source: 5, a: 1 }]],
    ['[{"source":"stdout","a":1}]', undefined, [{ source: 'stdout', a: 1 }]],
    ['{"source":"stdout"}{"source":"stdout"}', undefined, [{ source: 'stdout' }, { source: 'stdout' }]],
  ])('%s', async (body, sourceName, events) => {
    expect(await decoded(body)).toEqual({ sourceName, events: values(...events) });
  });

  test('a line of NDJSON is an event and addresses nothing', async () => {
    expect(await decoded('{"source":"stdout"}', 'ndjson')).toEqual({
      sourceName: undefined,
      events: values({ source: 'stdout' }),
    });
  });
});

describe('NDJSON bodies', () => {
  test('a line that does not parse is rejected by its index among the lines that are not blank', async () => {
    const body = '\n{"a":1}\r\n   \t\n{"a":\n\n{"a":12345678901234567}\nnonsense\n[1]';
    expect(await eventsOf(body, 'ndjson')).toEqual([
      { kind: 'value', value: { a: 1 } },
      malformed('Line 4 is not JSON: expected a JSON value, found the end of the text at column 6.'),
      { kind: 'value', value: { a: 12345678901234567n } },
      malformed("Line 7 is not JSON: expected a JSON value, found 'n' at column 1."),
      { kind: 'value', value: [1] },
    ]);
  });

  test('two values on one line are a bad line', async () => {
    expect(await eventsOf('{"a":1}{"a":2}', 'ndjson')).toEqual([malformed(expect.stringContaining('column 8'))]);
  });

  test('an empty body is an empty batch', async () => {
    expect(await eventsOf('', 'ndjson')).toEqual([]);
    expect(await eventsOf('\n \r\n', 'ndjson')).toEqual([]);
    expect(await eventsOf('\ufeff', 'ndjson')).toEqual([]);
  });

  test('a line that is not UTF-8 or nested too deep leaves the others alone', async () => {
    const body = Buffer.concat([
      Buffer.from('{"a":"é"}\n{"a":"'),
      Buffer.from([0xff]),
      Buffer.from(`"}\n${'['.repeat(300)}\n{"a":2}`),
    ]);
    expect(await eventsOf(body, 'ndjson')).toEqual([
      { kind: 'value', value: { a: 'é' } },
      malformed('Line 2 is not UTF-8 at byte 7.'),
      malformed(expect.stringContaining('nested more than 200 deep')),
      { kind: 'value', value: { a: 2 } },
    ]);
  });

  test('more lines than allowed are a 413, blank ones not counted', async () => {
    expect((await decoded('1\n\n'.repeat(100), 'ndjson')).events).toHaveLength(100);
    await expect(decoded('1\n'.repeat(101), 'ndjson')).rejects.toMatchObject({ code: 'ingest.too_many_events' });
  });
});

describe('bytes that are no UTF-8', () => {
  const around = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('[{"é":"'), Buffer.from(bytes), Buffer.from('"}]')]);

  test.each([
    ['a stray continuation byte', [0x80]],
    ['a byte that never occurs', [0xff]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a character that is cut', [0xe2, 0x82]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9, 0x20]],
  ])('%s is a 400 with its place', async (_, bytes) => {
    for (const repeat of [1, 5000]) {
      const body = Buffer.concat([Buffer.from(`"${'é€😀'.repeat(repeat)}"\n`), around(...bytes)]);
      const byte = body.length - around(...bytes).length + 9;
      await expect(decoded(body)).rejects.toMatchObject({
        code: 'request.malformed',
        message: `The body is not UTF-8 at line 2, column 8 (byte ${byte}).`,
        errors: [{ line: 2, column: 8 }],
      });
    }
  });

  test('surrogates encoded by themselves become U+FFFD', async () => {
    expect(await eventsOf(around(0xed, 0xa0, 0x80, 0x78, 0xed, 0xbf, 0xbf))).toEqual(values({ é: '\ufffdx\ufffd' }));
    expect(await eventsOf(around(0xed, 0x9f, 0xbf))).toEqual(values({ é: '\ud7ff' }));
  });

  test.each([
    ['UTF-16 with a byte order mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['UTF-16 without', Buffer.from('{"a":1}', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('{"a":1}', 'utf16le').swap16()],
    ['UTF-32', Buffer.from([0x7b, 0, 0, 0, 0x7d, 0, 0, 0])],
    ['UTF-32 the other way round', Buffer.from([0, 0, 0, 0x7b, 0, 0, 0, 0x7d])],
  ])('%s is a 415', async (_, body) => {
    for (const format of ['json', 'ndjson'] as const) {
      await expect(decoded(body, format)).rejects.toMatchObject({
        code: 'request.unsupported_media_type',
        status: 415,
      });
    }
  });

  test('zeros, as a hole in a file has them, are no wider encoding: of lines, those after it are taken', async () => {
    for (const zeros of [1, 2, 4, 100]) {
      const body = Buffer.concat([Buffer.alloc(zeros), Buffer.from('{"a":1}\n{"a":2}')]);
      expect((await decoded(body, 'ndjson')).events).toMatchObject([
        { kind: 'rejected', code: 'event.malformed' },
        { kind: 'value', value: { a: 2 } },
      ]);
      await expect(decoded(body)).rejects.toMatchObject({
        code: 'request.malformed',
        errors: [{ line: 1, column: 1 }],
      });
    }
  });
});
