import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { Source } from '../sources/source.ts';
import { type NormaliseContext, normalise } from './normalise.ts';
import { eventTerms } from './senderTerms.ts';

const arrivalMicros = 1_777_629_630_000_000;
const dayMicros = 86_400_000_000;

function sourceNamed(name: string): Source {
  const source = builtinSources.find((candidate) => candidate.name === name);
  if (source === undefined) throw new Error(`no source ${name}`);
  return source;
}

function contextFor(sourceName: string, overrides: Partial<NormaliseContext> = {}): NormaliseContext {
  return {
    source: sourceNamed(sourceName),
    arrivalMicros,
    defaultProject: null,
    projects: null,
    eventBytesMax: 1024 * 1024,
    oldestMicros: () => null,
    terms: eventTerms,
    randomness: { bytes: (count) => new Uint8Array(count).fill(7) },
    ...overrides,
  };
}

function stored(event: JsonValue, sourceName = 'rest_api_logs', overrides: Partial<NormaliseContext> = {}) {
  const result = normalise(event, contextFor(sourceName, overrides));
  if (result.kind === 'rejected') throw new Error(`${result.code}: ${result.message}`);
  return result.event;
}

function refusal(event: JsonValue, sourceName = 'rest_api_logs', overrides: Partial<NormaliseContext> = {}) {
  const result = normalise(event, contextFor(sourceName, overrides));
  if (result.kind !== 'rejected') throw new Error('expected a rejection');
  return result;
}

describe('the example event of every stream', () => {
  const examples = parseJson(readFileSync('test/fixtures/events.json', 'utf8')) as {
    readonly [source: string]: readonly JsonObject[];
  };

  test('covers all built-in sources', () => {
    expect(Object.keys(examples).sort()).toEqual(builtinSources.map(({ name }) => name).sort());
  });

  test.each(Object.entries(examples))('%s is stored as it was sent', (name, [example]) => {
    const event = stored(example ?? null, name);
    expect(event.timestampMicros).toBe(example?.timestamp);
    expect(event.eventMessage).toBe(example?.event_message);
    expect(event.project).toBe('abcdefghijklmnopqrst');
    expect(event.metadata).toBe(JSON.stringify(example?.metadata));
    expect(event.irregular).toEqual([]);
    expect(event.hot).toHaveLength(sourceNamed(name).hotColumns.length);
    expect(event.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('hot cells of the edge request', () => {
    const { hot } = stored(examples.edge_logs?.[0] ?? null, 'edge_logs');
    const cells = Object.fromEntries(
      sourceNamed('edge_logs').hotColumns.map(({ path }, index) => [path.join('.'), hot[index]]),
    );
    expect(cells).toMatchObject({
      request: true,
      'request.method': 'GET',
      'request.path': '/rest/v1/todos',
      'request.url': 'https://abc.example.co/rest/v1/todos?limit=20',
      response: true,
      'response.status_code': 200,
      'response.origin_time': 46,
    });
  });
});

describe('id', () => {
  test.each(['x', 'x'.repeat(128), '😀'.repeat(128), ' ', '\u0000', 'not a uuid'])('%o is kept', (id) => {
    expect(stored({ id, project: 'p' }).id).toBe(id);
  });

  test.each<JsonValue>([
    '',
    'x'.repeat(129),
    '😀'.repeat(129),
    'x'.repeat(300),
    5,
    12345678901234567890n,
    true,
    {},
    ['x'],
  ])('%o is refused', (id) => {
    expect(refusal({ id, project: 'p' }).code).toBe('event.id_invalid');
  });

  test.each<JsonObject>([{}, { id: null }])('%o gets a UUID version 7 of the time of the event', (sent) => {
    const { id } = stored({ ...sent, project: 'p', timestamp: '2025-06-10T10:02:03.418999Z' });
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse('2025-06-10T10:02:03.418Z'));
    expect(id[14]).toBe('7');
  });
});

describe('time', () => {
  test('24 hours ahead is taken, a microsecond more is refused', () => {
    const ahead = arrivalMicros + dayMicros;
    expect(stored({ timestamp: ahead, project: 'p' }).timestampMicros).toBe(ahead);
    expect(refusal({ timestamp: ahead + 1, project: 'p' }).code).toBe('event.too_far_ahead');
    expect(refusal({ date: (ahead + 1_000_000) / 1e6, project: 'p' }).code).toBe('event.too_far_ahead');
  });

  test('what is older than retention of its project keeps is refused', () => {
    const oldestMicros = (project: string) => (project === 'kept' ? null : arrivalMicros - dayMicros);
    const timestamp = arrivalMicros - dayMicros;
    expect(stored({ timestamp, project: 'p' }, 'rest_api_logs', { oldestMicros }).timestampMicros).toBe(timestamp);
    expect(refusal({ timestamp: timestamp - 1, project: 'p' }, 'rest_api_logs', { oldestMicros }).code).toBe(
      'event.too_old',
    );
    expect(stored({ timestamp: timestamp - 1, project: 'kept' }, 'rest_api_logs', { oldestMicros }).project).toBe(
      'kept',
    );
  });

  test('without a time the event has that of its arrival', () => {
    expect(stored({ project: 'p' }).timestampMicros).toBe(arrivalMicros);
  });

  test('the member that gave the time does not go under metadata, the others do', () => {
    expect(stored({ '@timestamp': 1749549723, date: 'x', project: 'p' }).metadata).toBe('{"date":"x"}');
    expect(stored({ timestamp: 1749549723, '@timestamp': 'x', project: 'p' }).metadata).toBe('{"@timestamp":"x"}');
    expect(stored({ date: 1749549723.5, project: 'p' }).metadata).toBeNull();
  });
});

describe('message', () => {
  test.each<[JsonObject, string, string | null]>([
    [{ event_message: 'a', message: 'b', log: 'c' }, 'a', '{"message":"b","log":"c"}'],
    [{ message: 'b', log: 'c' }, 'b', '{"log":"c"}'],
    [{ log: 'c' }, 'c', null],
    [{ event_message: '', message: 'b' }, '', '{"message":"b"}'],
    [{ event_message: null, message: 'b' }, 'b', null],
    [{ message: null, log: 'c' }, 'c', '{"message":null}'],
    [{ log: { level: 'info' } }, '', '{"log":{"level":"info"}}'],
    [{ log: 5 }, '', '{"log":5}'],
    [{ event_message: { a: [1, 'x'] } }, '{"a":[1,"x"]}', null],
    [{ event_message: ['x'] }, '["x"]', null],
    [{ message: 5 }, '5', null],
    [{ message: 12345678901234567890n }, '12345678901234567890', null],
    [{ event_message: false }, 'false', null],
    [{ event_message: 'two\nlines\n' }, 'two\nlines\n', null],
    [{ event_message: 'a\u0000b' }, 'a\u0000b', null],
    [{}, '', null],
  ])('%o', (event, message, metadata) => {
    const result = stored({ ...event, project: 'p' });
    expect(result.eventMessage).toBe(message);
    expect(result.metadata).toBe(metadata);
  });
});

describe('metadata', () => {
  test.each([
    [
      'is kept as it was sent, empty objects, nulls and arrays too',
      '{"a":{},"b":null,"c":[],"d":["x"],"e":[{"f":1}]}',
      '{"a":{},"b":null,"c":[],"d":["x"],"e":[{"f":1}]}',
    ],
    ['keeps the order of its members', '{"z":1,"10":2,"a":3,"2":4}', '{"z":1,"10":2,"a":3,"2":4}'],
    [
      'keeps every digit',
      '{"query_id":-9223372036854775808,"u":18446744073709551615}',
      '{"query_id":-9223372036854775808,"u":18446744073709551615}',
    ],
    ['loses white space', '{ "a" : [ 1 ,\n 2 ] }', '{"a":[1,2]}'],
    ['may be empty', '{}', '{}'],
    ['as a list of one object is that object', '[{"a":1}]', '{"a":1}'],
    [
      'as a list of one object is unwrapped at every level',
      '[{"request":[{"headers":[{"host":"h"}],"cf":[]}],"many":[{"x":[{"y":1}]},{"x":[{}]}]}]',
      '{"request":{"headers":{"host":"h"},"cf":[]},"many":[{"x":{"y":1}},{"x":{}}]}',
    ],
    [
      'unwraps lists of objects only',
      '[{"ids":[1],"names":["x"],"none":[null],"nested":[[{"a":1}]]}]',
      '{"ids":[1],"names":["x"],"none":[null],"nested":[{"a":1}]}',
    ],
    [
      'as an object keeps its lists of one object',
      '{"request":[{"headers":[{"host":"h"}]}]}',
      '{"request":[{"headers":[{"host":"h"}]}]}',
    ],
    ['keeps a member named __proto__', '{"__proto__":{"a":1},"b":2}', '{"__proto__":{"a":1},"b":2}'],
    [
      'keeps a member named __proto__ when it is unwrapped',
      '[{"__proto__":[{"a":1}],"b":2}]',
      '{"__proto__":{"a":1},"b":2}',
    ],
  ])('%s', (_, sent, kept) => {
    expect(stored(parseJson(`{"project":"p","metadata":${sent}}`)).metadata).toBe(kept);
  });

  test.each(['[]', '[{},{}]', '[1]', '["x"]', '[null]', '[[{}]]', '"text"', '"{}"', '5', 'true', 'false'])(
    '%s is refused',
    (sent) => {
      expect(refusal(parseJson(`{"project":"p","metadata":${sent}}`)).code).toBe('event.metadata_invalid');
    },
  );

  test.each([
    ['{"project":"p"}', null],
    ['{"project":"p","metadata":null}', null],
    ['{"project":"p","level":"info","n":{"a":[{"b":1}]}}', '{"level":"info","n":{"a":[{"b":1}]}}'],
    ['{"project":"p","metadata":null,"level":"info"}', '{"level":"info"}'],
    ['{"level":"info","project":"p","metadata":{"a":1},"b":2}', '{"a":1,"level":"info","b":2}'],
    ['{"project":"p","metadata":{"level":"warn"},"level":"info"}', '{"level":"warn"}'],
    ['{"project":"p","metadata":{"level":null},"level":"info"}', '{"level":null}'],
    ['{"project":"p","metadata":[{"a":[{"b":1}]}],"c":[{"d":1}]}', '{"a":{"b":1},"c":[{"d":1}]}'],
    [
      '{"project":"p","Project":"x","EVENT_MESSAGE":"y","source":"z"}',
      '{"Project":"x","EVENT_MESSAGE":"y","source":"z"}',
    ],
    ['{"project":"p","__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['{"project":"p","7":1,"a":2,"5":3}', '{"7":1,"a":2,"5":3}'],
  ])('other members go under it unless they are there: %s', (sent, metadata) => {
    expect(stored(parseJson(sent)).metadata).toBe(metadata);
  });
});

describe('project in streams that match the top level', () => {
  const withDefault = { defaultProject: 'fallback' };

  test.each<[JsonObject, string, string | null]>([
    [{ project: 'p' }, 'p', null],
    [{ project: 'p', metadata: { project: 'inside' } }, 'p', '{"project":"inside"}'],
    [{ project: ' ' }, ' ', null],
    [{ project: '' }, 'fallback', null],
    [{ project: null }, 'fallback', null],
    [{}, 'fallback', null],
    [{ metadata: { project: 'inside' } }, 'fallback', '{"project":"inside"}'],
  ])('%o', (event, project, metadata) => {
    expect(stored(event, 'pooler_logs', withDefault)).toMatchObject({ project, metadata });
  });

  test.each<JsonObject>([{}, { project: '' }, { project: null }, { project: 5 }, { project: ['p'] }])(
    '%o without a default is refused',
    (event) => {
      expect(refusal(event, 'edge_logs').code).toBe('event.project_missing');
    },
  );

  test('a project that is no text is refused even with a default', () => {
    expect(refusal({ project: 5 }, 'edge_logs', withDefault).code).toBe('event.project_missing');
  });
});

describe('project in streams that match metadata', () => {
  const withDefault = { defaultProject: 'fallback' };

  test.each<[string, JsonObject, string, string]>([
    ['function_edge_logs', { metadata: { project_ref: 'in', a: 1 } }, 'in', '{"project_ref":"in","a":1}'],
    ['function_edge_logs', { project: 'top', metadata: { project_ref: 'in' } }, 'in', '{"project_ref":"in"}'],
    ['function_edge_logs', { project: 'top', metadata: { a: 1 } }, 'top', '{"a":1,"project_ref":"top"}'],
    ['function_edge_logs', { project: 'top' }, 'top', '{"project_ref":"top"}'],
    ['function_edge_logs', { project: 'top', metadata: null }, 'top', '{"project_ref":"top"}'],
    [
      'function_edge_logs',
      { project: 'top', metadata: [{ a: [{ b: 1 }] }] },
      'top',
      '{"a":{"b":1},"project_ref":"top"}',
    ],
    ['function_logs', { metadata: [{ project_ref: 'in' }] }, 'in', '{"project_ref":"in"}'],
    ['function_logs', { project_ref: 'beside', project: 'top' }, 'beside', '{"project_ref":"beside"}'],
    ['function_logs', { project_ref: 'beside', metadata: { project_ref: 'in' } }, 'in', '{"project_ref":"in"}'],
    ['function_logs', { project_ref: 'beside', metadata: { project_ref: '' } }, 'beside', '{"project_ref":"beside"}'],
    ['function_logs', { project: 'top', metadata: { project_ref: null, a: 1 } }, 'top', '{"project_ref":"top","a":1}'],
    ['realtime_logs', { project: 'top', metadata: { project: 'in' } }, 'in', '{"project":"in"}'],
    ['storage_logs', { project: 'top', metadata: {} }, 'top', '{"project":"top"}'],
    ['storage_logs', {}, 'fallback', '{"project":"fallback"}'],
    ['storage_logs', { project: '' }, 'fallback', '{"project":"fallback"}'],
  ])('%s %o', (source, event, project, metadata) => {
    expect(stored(event, source, withDefault)).toMatchObject({ project, metadata });
  });

  test.each<[string, JsonObject]>([
    ['function_edge_logs', {}],
    ['function_edge_logs', { metadata: { project: 'other member' } }],
    ['function_edge_logs', { metadata: { project_ref: 5 }, project: 'top' }],
    ['realtime_logs', { metadata: { project: '' } }],
    ['realtime_logs', { metadata: { project_ref: 'x' } }],
  ])('%s %o without a default is refused', (source, event) => {
    expect(refusal(event, source).code).toBe('event.project_missing');
  });
});

describe('the projects of a token', () => {
  const projects = ['mine'];

  test('are the only ones it may send', () => {
    expect(stored({ project: 'mine' }, 'edge_logs', { projects }).project).toBe('mine');
    expect(refusal({ project: 'other' }, 'edge_logs', { projects }).code).toBe('event.project_forbidden');
    expect(refusal({ project: 'Mine' }, 'edge_logs', { projects }).code).toBe('event.project_forbidden');
    expect(refusal({ project: 'mine', metadata: { project: 'other' } }, 'storage_logs', { projects }).code).toBe(
      'event.project_forbidden',
    );
    expect(refusal({}, 'edge_logs', { projects, defaultProject: 'other' }).code).toBe('event.project_forbidden');
    // The token learns of no other project by it.
    expect(refusal({}, 'edge_logs', { projects, defaultProject: 'other' }).message).not.toContain('other');
    expect(refusal({ project: 'mine' }, 'edge_logs', { projects: [] }).code).toBe('event.project_forbidden');
  });
});

describe('an event that cannot be stored', () => {
  test.each<JsonValue>([null, true, 5, 12345678901234567890n, 'x', [], [{ project: 'p' }]])(
    '%o is no event',
    (event) => {
      expect(refusal(event).code).toBe('event.not_object');
    },
  );

  test('a number beyond all doubles, wherever it is', () => {
    for (const text of [
      '{"project":"p","a":1e400}',
      '{"project":"p","metadata":{"a":[{"b":-1e999}]}}',
      '{"project":"p","message":1e400}',
    ]) {
      expect(refusal(parseJson(text)).code).toBe('event.number_out_of_range');
    }
  });

  test('more bytes of message and metadata than allowed', () => {
    const eventBytesMax = 20;
    expect(stored({ project: 'p', message: 'x'.repeat(20) }, 'edge_logs', { eventBytesMax }).eventMessage).toHaveLength(
      20,
    );
    expect(refusal({ project: 'p', message: 'x'.repeat(21) }, 'edge_logs', { eventBytesMax }).code).toBe(
      'event.too_large',
    );
    expect(refusal({ project: 'p', message: 'é'.repeat(11) }, 'edge_logs', { eventBytesMax }).code).toBe(
      'event.too_large',
    );
    expect(refusal({ project: 'p', message: 'x'.repeat(10), a: '0123456' }, 'edge_logs', { eventBytesMax }).code).toBe(
      'event.too_large',
    );
  });

  test('events of exactly the allowed size are taken, and of one byte more are not, however they are written', () => {
    const forms: ((length: number) => JsonObject)[] = [
      (length) => ({ message: 'x'.repeat(length) }),
      (length) => ({ message: ['x'.repeat(length - 4)] }),
      (length) => ({ event_message: null, log: 'x'.repeat(length) }),
      (length) => ({ metadata: { a: 'x'.repeat(length - 8) } }),
      (length) => ({ metadata: [{ a: [{ b: 'x'.repeat(length - 14) }] }] }),
      (length) => ({ a: [], b: 'x'.repeat(length - 15) }),
      (length) => ({ a: { '': [1, true, null, {}], b: 'x'.repeat(length - 34) } }),
      // What is not kept does not count.
      (length) => ({ a: 'y'.repeat(5000), metadata: { a: 'x'.repeat(length - 8) }, timestamp: null }),
      (length) => ({ a: 'y'.repeat(5000), metadata: [{ a: 'x'.repeat(length - 8) }] }),
    ];
    for (const form of forms) {
      const least = stored({ project: 'p', ...form(100) }, 'edge_logs', { eventBytesMax: 100 });
      expect(least.eventMessage.length + (least.metadata?.length ?? 0)).toBe(100);
      expect(refusal({ project: 'p', ...form(101) }, 'edge_logs', { eventBytesMax: 100 }).code).toBe('event.too_large');
    }
  });

  test('an event that is much too large is refused before it is written, with what would fail then', () => {
    const member = () => {
      throw new Error('was read');
    };
    const sent = Object.defineProperty({ project: 'p', message: Array(200).fill(1) }, 'z', {
      get: member,
      enumerable: true,
    });
    expect(refusal(sent as unknown as JsonObject, 'edge_logs', { eventBytesMax: 100 })).toEqual({
      kind: 'rejected',
      code: 'event.too_large',
      message: 'The event has more than 100 bytes of message and metadata, the most allowed.',
    });
  });

  test('a project longer than a parameter can be', () => {
    expect(refusal({ project: 'x'.repeat(4097) }).code).toBe('event.project_too_long');
    expect(stored({ project: 'x'.repeat(4096) }).project).toHaveLength(4096);
  });
});

describe('a retry can be recognised if the event has its own id and time', () => {
  test.each<[JsonObject, boolean]>([
    [{ id: 'x', timestamp: 1749549723 }, true],
    [{ id: 'x', '@timestamp': 1749549723 }, true],
    [{ id: 'x', date: 1749549723.5 }, true],
    [{ id: 'x' }, false],
    [{ timestamp: 1749549723 }, false],
    [{ id: null, timestamp: 1749549723 }, false],
  ])('%o: %s', (event, isRecognisable) => {
    expect(normalise({ ...event, project: 'p' }, contextFor('edge_logs'))).toMatchObject({ isRecognisable });
  });
});

test('any JSON value is either stored as JSON that reads back, or rejected by a sentence', () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<JsonValue>('p', 1749549723, '2025-06-10T10:02:03Z', [{ a: [{ b: 1 }] }], {}),
  );
  const names = fc.constantFrom(
    'id',
    'timestamp',
    '@timestamp',
    'date',
    'event_message',
    'message',
    'log',
    'project',
    'project_ref',
    'metadata',
    '__proto__',
    'other',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, member)), fc.constantFrom(...builtinSources), (members, source) => {
      const event = parseJson(
        `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
      );
      const result = normalise(event, { ...contextFor(source.name), defaultProject: 'fallback' });
      if (result.kind === 'rejected') {
        expect(result.message).toMatch(/\.$/);
        expect(result.message.length).toBeLessThan(600);
        return;
      }
      const { event: row } = result;
      expect(row.project).not.toBe('');
      if (row.metadata !== null) expect(JSON.stringify(JSON.parse(row.metadata)).length).toBeGreaterThanOrEqual(2);
      if (source.projectField.kind === 'metadata') {
        expect((parseJson(row.metadata ?? '{}') as JsonObject)[source.projectField.member]).toBe(row.project);
      }
    }),
    { numRuns: 1000 },
  );
});
