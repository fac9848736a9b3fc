import { describe, expect, test } from 'vitest';
import { turnsTaken } from '../../../test/support/turnsTaken.ts';
import { ServiceError } from '../../core/errors.ts';
import { call, named, setUp } from '../ingest.fixture.ts';
import { defaultIngestLimits, type IngestCall } from '../ingest.ts';
import type { Rejection } from '../rejection.ts';
import { bulkBody } from './bulkProtocol.ts';

const time = '2026-05-01T10:00:30.123456Z';
const document = { '@timestamp': time, message: 'one', project: 'p' };

function bulk(lines: readonly unknown[], overrides: Partial<IngestCall> = {}, pathIndex?: string) {
  const { protocol, items } = bulkBody(pathIndex);
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return {
    items,
    call: call(`${body}\n`, { contentType: 'application/x-ndjson', sourceCandidates: [], protocol, ...overrides }),
  };
}

const malformed = { code: 'request.malformed', status: 400 };

describe('documents', () => {
  test('become events of the source that their index names, with the ID of the action', async () => {
    const { ingest, eventLog } = setUp();
    const { call: sent, items } = bulk(
      [
        { index: { _index: 'edge_logs', _id: 'a' } },
        { ...document, host: { name: 'web-1' } },
        { create: { _index: 'auth_logs' } },
        { ...document, message: 'two' },
        { create: {} },
        { ...document, message: 'three' },
      ],
      {},
      'edge.requests',
    );
    expect(await ingest.acceptEach(sent)).toEqual({ eventCount: 3, rejections: [], failures: new Map() });
    expect(items).toEqual([
      { action: 'index', index: 'edge_logs', id: 'a' },
      { action: 'create', index: 'auth_logs', id: undefined },
      { action: 'create', index: 'edge.requests', id: undefined },
    ]);
    expect(eventLog.batches).toMatchObject([
      {
        source: 'edge_logs',
        events: [
          {
            id: 'a',
            timestampMicros: 1_777_629_630_123_456,
            project: 'p',
            eventMessage: 'one',
            metadata: '{"host":{"name":"web-1"}}',
          },
          { eventMessage: 'three' },
        ],
      },
      { source: 'auth_logs', events: [{ eventMessage: 'two' }] },
    ]);
  });

  test.each<[string, unknown, unknown, string | null]>([
    ['id', { _id: 'a' }, { ...document, id: 42 }, '{"id":42}'],
    ['id, without an _id', {}, { ...document, id: 'x' }, '{"id":"x"}'],
    ['timestamp beside @timestamp', {}, { ...document, timestamp: 'yesterday' }, '{"timestamp":"yesterday"}'],
    ['id beside metadata', {}, { ...document, id: 1, metadata: { a: 1 } }, '{"a":1,"id":1}'],
    ['id that metadata has too', {}, { ...document, id: 1, metadata: { id: 2 } }, '{"id":2}'],
    ['id beside metadata in a list', {}, { ...document, id: 1, metadata: [{ a: 1 }] }, '{"a":1,"id":1}'],
    ['timestamp alone, which is the time', {}, { timestamp: time, project: 'p' }, null],
  ])('keep their member %s as data', async (_what, parameters, sent, metadata) => {
    const { ingest, eventLog } = setUp();
    const { rejections } = await ingest.acceptEach(bulk([{ index: parameters }, sent], {}, 'edge_logs').call);
    expect([rejections, eventLog.events]).toMatchObject([[], [{ timestampMicros: 1_777_629_630_123_456, metadata }]]);
  });

  test('with IDs and times are stored once, however often they are sent', async () => {
    const { ingest, eventLog } = setUp();
    const lines = [
      { index: { _index: 'edge_logs', _id: 'a' } },
      document,
      { index: { _index: 'auth_logs', _id: 'b' } },
      document,
    ];
    for (let n = 0; n < 3; n++) await ingest.acceptEach(bulk(lines).call);
    expect(eventLog.events).toHaveLength(2);
    const without = [{ index: { _index: 'edge_logs' } }, document];
    for (let n = 0; n < 2; n++) await ingest.acceptEach(bulk(without).call);
    expect(eventLog.events).toHaveLength(4);
  });

  test('that cannot be stored are rejected by their place, and the others are stored', async () => {
    const { ingest, eventLog } = setUp({ limits: { ...defaultIngestLimits, eventBytesMax: 2000 } });
    const { call: sent } = bulk(
      [
        { index: {} },
        'no json',
        { update: { _id: 'a' } },
        { doc: {} },
        { delete: { _id: 'a' } },
        { index: {} },
        { ...document, '@timestamp': 'never' },
        { index: {} },
        { ...document, project: 'other' },
        { index: { _id: 'x'.repeat(129) } },
        document,
        { index: {} },
        { ...document, message: 'x'.repeat(2001) },
        { index: {} },
        [],
        { index: null },
        document,
      ],
      { projects: ['p'] },
      'edge_logs',
    );
    const { rejections } = await ingest.acceptEach(sent);
    expect(rejections.map(({ index, code }) => [index, code])).toEqual([
      [0, 'event.malformed'],
      [1, 'event.action_unsupported'],
      [2, 'event.action_unsupported'],
      [3, 'event.timestamp_invalid'],
      [4, 'event.project_forbidden'],
      [5, 'event.id_invalid'],
      [6, 'event.too_large'],
      [7, 'event.not_object'],
    ]);
    expect(eventLog.events).toHaveLength(1);
  });

  test('that are all bad are no error, unless the call is strict', async () => {
    const { ingest } = setUp();
    const lines = [{ index: {} }, { ...document, '@timestamp': 'never' }];
    expect((await ingest.acceptEach(bulk(lines, {}, 'edge_logs').call)).rejections).toHaveLength(1);
    await expect(ingest.acceptEach(bulk(lines, { strict: true }, 'edge_logs').call)).rejects.toMatchObject({
      code: 'ingest.batch_invalid',
    });
  });

  test('that the first of two equal requests rejected are not told to be stored by the second', async () => {
    const { ingest, eventLog, clock } = setUp();
    const day = 24 * 60 * 60 * 1000;
    const ahead = new Date(clock.nowMicros() / 1000 + day + 1000).toISOString();
    const lines = [{ index: { _id: 'a' } }, document, { index: { _id: 'b' } }, { ...document, '@timestamp': ahead }];
    const send = async () => (await ingest.acceptEach(bulk(lines, {}, 'edge_logs').call)).rejections;
    const first = await send();
    expect(first).toMatchObject([{ index: 1, code: 'event.too_far_ahead' }]);
    clock.advanceMs(2000);
    expect(await send()).toEqual(first);
    expect(eventLog.events).toHaveLength(1);
  });

  test.each([1, 30, 2000])(
    'of a repeated request are told as %i of each were at first, not as they would be now',
    async (count) => {
      let oldestMicros: number | null = null;
      const { ingest, eventLog, clock } = setUp({ oldestMicros: () => oldestMicros });
      const day = 24 * 60 * 60 * 1000;
      const ahead = new Date(clock.nowMicros() / 1000 + day + 1000).toISOString();
      const lines: unknown[] = [];
      for (let n = 0; n < count; n++) {
        lines.push(
          { index: { _id: `a${n}` } },
          document,
          { index: { _id: `b${n}` } },
          { ...document, '@timestamp': ahead },
        );
      }
      const send = () => ingest.acceptEach(bulk(lines, {}, 'edge_logs').call);
      const first = await send();
      expect(first.rejections).toHaveLength(count);
      // By now, the service would take those that it rejected, and reject those that it took.
      clock.advanceMs(2000);
      oldestMicros = clock.nowMicros();
      const again = await send();
      const told = ({ index, code }: Rejection) => [index, code];
      expect(again.rejections.map(told)).toEqual(first.rejections.map(told));
      expect(again.failures).toEqual(first.failures);
      expect(again.rejections.at(-1)?.message).toContain('more than 24 hours ahead');
      expect(eventLog.events).toHaveLength(count);
    },
  );

  test('that were stored at first are told to be stored, even if none would be taken now', async () => {
    let oldestMicros: number | null = null;
    const { ingest, eventLog, clock } = setUp({ oldestMicros: () => oldestMicros });
    const lines = [{ index: { _id: 'a' } }, document, { index: { _id: 'b' } }, { ...document, '@timestamp': 'never' }];
    const send = () => ingest.acceptEach(bulk(lines, {}, 'edge_logs').call);
    const first = await send();
    expect(first.rejections).toMatchObject([{ index: 1 }]);
    oldestMicros = clock.nowMicros();
    expect(await send()).toEqual(first);
    expect(eventLog.events).toHaveLength(1);
  });

  test('of a source that could not be stored after another was are reported, and nothing else', async () => {
    const { ingest, eventLog } = setUp();
    const append = eventLog.append.bind(eventLog);
    const overloaded = new ServiceError('ingest.overloaded', 'Later.');
    eventLog.append = (batch) => (batch.source === 'auth_logs' ? Promise.reject(overloaded) : append(batch));
    const lines = [
      { index: { _index: 'edge_logs' } },
      document,
      { index: { _index: 'auth_logs' } },
      document,
      { index: { _index: 'auth_logs' } },
      { ...document, '@timestamp': 'never' },
    ];
    const { failures, rejections } = await ingest.acceptEach(bulk(lines).call);
    expect([[...failures], rejections]).toMatchObject([[[1, overloaded]], [{ index: 2 }]]);
    await expect(ingest.acceptEach(bulk(lines.slice(2)).call)).rejects.toBe(overloaded);
  });
});

describe('the source', () => {
  const lines = [{ index: { _index: 'edge_logs' } }, document, { index: { _index: 'logs-2026.05.01' } }, document];

  test('that the call names counts for all indices', async () => {
    const { ingest, eventLog } = setUp();
    await ingest.acceptEach(bulk(lines, { sourceCandidates: named('auth_logs') }).call);
    expect(eventLog.batches).toMatchObject([{ source: 'auth_logs', events: [{}, {}] }]);
  });

  test.each<[string, readonly unknown[], string]>([
    ['is unknown', lines, 'source.unknown'],
    ['is missing', [{ index: {} }, document], 'source.missing'],
  ])('of one document %s: nothing is stored', async (_what, sent, code) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.acceptEach(bulk(sent).call)).rejects.toMatchObject({ code });
    expect(eventLog.batches).toEqual([]);
  });
});

describe('a body', () => {
  test.each<[string, readonly unknown[]]>([
    ['a document without an action', [document, document]],
    ['an action that is no JSON', ['{"index":']],
    ['an action that is a list', [[]]],
    ['two actions in one line', [{ index: {}, create: {} }, document]],
    ['an action of text', [{ index: 'x' }, document]],
    ['an unknown action', [{ upsert: {} }, document]],
    ['an index that is a number', [{ index: { _index: 5 } }, document]],
    ['an ID that is an object', [{ index: { _id: {} } }, document]],
    ['an action without a document', [{ index: {} }, document, { index: {} }]],
  ])('with %s is refused as a whole, because the next lines could be anything', async (_what, lines) => {
    const { ingest, eventLog } = setUp();
    await expect(ingest.acceptEach(bulk(lines, {}, 'edge_logs').call)).rejects.toMatchObject(malformed);
    expect(eventLog.batches).toEqual([]);
  });

  test.each(['application/json', 'application/vnd.elasticsearch+x-ndjson;compatible-with=8', undefined])(
    'of the type %s is read',
    async (contentType) => {
      const { ingest } = setUp();
      const sent = bulk(['', { index: {} }, ' ', document, '\r'], { contentType }, 'edge_logs');
      expect((await ingest.acceptEach(sent.call)).eventCount).toBe(1);
    },
  );

  test('of another type is refused', async () => {
    const { ingest } = setUp();
    await expect(ingest.acceptEach(bulk([], { contentType: 'text/plain' }).call)).rejects.toMatchObject({
      code: 'request.unsupported_media_type',
    });
  });

  test('with too many documents is refused', async () => {
    const { ingest } = setUp({ limits: { ...defaultIngestLimits, eventsMax: 2 } });
    const lines = Array.from({ length: 3 }, () => ({ delete: {} }));
    await expect(ingest.acceptEach(bulk(lines, {}, 'edge_logs').call)).rejects.toMatchObject({
      code: 'ingest.too_many_events',
    });
  });

  test('with many documents is read in turns', async () => {
    const { ingest } = setUp();
    const { call: sent } = bulk(
      Array.from({ length: 20_000 }, () => ['{"index":{}}', JSON.stringify(document)]).flat(),
      {},
      'edge_logs',
    );
    expect(await turnsTaken(() => ingest.acceptEach(sent))).toBeGreaterThan(3);
  });
});
