import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { batchBytesMin } from './bytesInFlight.ts';
import { decode } from './decode.ts';
import { call, good, setUp } from './ingest.fixture.ts';
import { defaultIngestLimits } from './ingest.ts';

describe('large bodies that come at the same time', () => {
  /** More than a body that is read at once with others, and than is worked on in one turn. */
  const large = (project: string) =>
    call(Array.from({ length: 30 }, () => ({ project, event_message: 'x'.repeat(100_000) })));

  test('are read one after another, in their order, also behind one that fails', async () => {
    const projects: string[] = [];
    const { ingest } = setUp({
      oldestMicros: (_source, project) => {
        if (projects.at(-1) !== project) projects.push(project);
        return null;
      },
    });
    const broken = call(`[${'1,'.repeat(1_100_000)}`);
    const sent = [large('a'), large('b'), broken, large('c')].map((each) => ingest.accept(each));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(projects).toEqual(['a', 'b', 'c']);
  });

  test('of one token do not all come before that of another', async () => {
    const done: string[] = [];
    const { ingest } = setUp();
    const send = (project: string, tokenId: string) =>
      ingest.accept({ ...large(project), tokenId }).then(() => void done.push(project));
    await Promise.all([send('a', 'busy'), send('b', 'busy'), send('c', 'busy'), send('d', 'other')]);
    expect(done.indexOf('d')).toBeLessThan(done.indexOf('c'));
  });

  test('hold up no small one', async () => {
    const done: string[] = [];
    const { ingest } = setUp();
    const answered = (name: string) => () => void done.push(name);
    await Promise.all([
      ...['a', 'b', 'c'].map((name) => ingest.accept(large(name)).then(answered(name))),
      ingest.accept(call(good)).then(answered('small')),
    ]);
    expect(done).toEqual(['small', 'a', 'b', 'c']);
  });
});

describe('a body that is one event which is far too large', () => {
  /** Ends with an integer that JSON.parse would not read, so that our own reader has to. */
  const list = `[${'{"a":1},'.repeat(500_000)}12345678901234567]`;
  const tooLarge = { index: 0, code: 'event.too_large' };
  const json = 'application/json';

  test.each([
    ['in an array', `[{"project":"p","m":${list}}]`, json],
    ['by itself', `{"project":"p","m":${list}}`, json],
    ['in a batch', `{"batch":[{"project":"p","metadata":[{"m":${list}}]}]}`, json],
    ['on a line', `{"project":"p","message":${list}}`, 'application/x-ndjson'],
  ])('%s is refused, and others have their turns while it is read', async (_, body, contentType) => {
    const { ingest } = setUp();
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const outcome = await ingest.accept(call(body, { contentType })).catch((error: unknown) => error);
    isDone = true;
    expect(outcome).toMatchObject({ code: 'ingest.batch_invalid', errors: [tooLarge] });
    expect(turns).toBeGreaterThanOrEqual(Math.floor(body.length / (512 * 1024)));
  });
});

describe('an event of very many members', () => {
  const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":1`).join(',');

  test.each<[string, string, number]>([
    ['that is taken', `{"project":"p",${members(60_000)}}`, 60_000],
    ['in its metadata that is taken', `[{"project":"p","metadata":{${members(60_000)}}}]`, 60_000],
    ['in the list of its metadata that is taken', `[{"project":"p","metadata":[{${members(60_000)}}]}]`, 60_000],
    ['in its message that is taken', `[{"project":"p","message":{${members(60_000)}},"metadata":{"a":1}}]`, 1],
    ['that is too large', `{"project":"p",${members(130_000)}}`, 0],
  ])('%s is worked on in turns', async (_, body, stored) => {
    const { ingest, eventLog } = setUp({ turns: new Turns(everyLookEndsTurn()) });
    const outcomes: unknown[] = [];
    const turns = await turnsTaken(async () => {
      outcomes.push(await ingest.accept(call(body)).catch(({ code }) => code));
    });
    expect(turns).toBeGreaterThanOrEqual(stored === 0 ? 8 : 30);
    if (stored === 0) expect(outcomes).toContain('ingest.batch_invalid');
    else expect(Object.keys(JSON.parse(eventLog.batches[0]?.events[0]?.metadata ?? '{}'))).toHaveLength(stored);
  });

  test('is read no further than it takes to be too large, and what follows it is taken', async () => {
    const { ingest, eventLog } = setUp({ limits: { ...defaultIngestLimits, eventBytesMax: 100_000 } });
    const large = `{"project":"p",${members(400_000)}}`;
    const message = `{"project":"p","message":{${members(400_000)}}}`;
    const own = '{"project":"p","id":"after"}';
    expect(await ingest.accept(call(`[${large},${message},${own}]`))).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, code: 'event.too_large' },
        { index: 1, code: 'event.too_large' },
      ],
    });
    expect(eventLog.batches[0]?.events).toMatchObject([{ id: 'after' }]);
    const [kept] = (await decode(Buffer.from(large), 'json', 10, { membersMax: 20_000 })).events;
    expect(Object.keys(kept?.kind === 'value' ? (kept.value as object) : {})).toHaveLength(20_000);
  });
});

test('a large body is identified in turns', async () => {
  const body = Buffer.from(
    JSON.stringify([{ ...good, id: 'i', timestamp: 1749549723, event_message: 'x'.repeat(1_000_000) }]),
  );
  const padded = Buffer.concat([body, Buffer.alloc(12_000_000, ' ')]);
  const turnsOf = (idempotencyKey: string | undefined, sent: Buffer) => {
    const { ingest } = setUp({ turns: new Turns(everyLookEndsTurn()) });
    return turnsTaken(() => ingest.accept(call(sent, { idempotencyKey })));
  };
  const unidentified = Buffer.from(padded.toString().replace('"id":"i"', '"xx":"i"'));
  const perHalfMebibyte = padded.length / 512 / 1024;
  const others = await turnsOf(undefined, unidentified);
  expect(await turnsOf(undefined, padded)).toBeGreaterThan(others + perHalfMebibyte - 3);
  expect(await turnsOf('key', unidentified)).toBeGreaterThan(others + perHalfMebibyte - 3);
});

describe('an event log that fails', () => {
  test('fails the call with its error, and the room of the batch is free again', async () => {
    const failing: EventLog = {
      append: () => Promise.reject(new ServiceError('ingest.overloaded', 'Full.', { retryAfterSeconds: 2 })),
      recall: () => Promise.resolve(null),
    };
    const { ingest } = setUp({ eventLog: failing, limits: { ...defaultIngestLimits, inFlightBytesMax: 100 } });
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(ingest.accept(call(good))).rejects.toMatchObject({ message: 'Full.', retryAfterSeconds: 2 });
    }
  });

  test('while too many bytes are being worked on, further batches are refused before anything of them is taken', async () => {
    const releases: (() => void)[] = [];
    const waiting: EventLog = {
      append: () => new Promise((resolve) => releases.push(() => resolve({ kind: 'stored' }))),
      recall: () => Promise.resolve(null),
    };
    const body = Buffer.from(JSON.stringify(good));
    const { ingest } = setUp({
      eventLog: waiting,
      limits: { ...defaultIngestLimits, inFlightBytesMax: 4 * batchBytesMin },
    });
    const first = ingest.accept(call(body));
    const second = ingest.accept(call(body));
    await expect(ingest.accept(call(body))).rejects.toMatchObject({
      code: 'ingest.overloaded',
      status: 503,
      retryAfterSeconds: 1,
    });
    await expect.poll(() => releases.length).toBe(2);
    for (const release of releases) release();
    expect(await Promise.all([first, second])).toMatchObject([{ accepted: 1 }, { accepted: 1 }]);
    const third = ingest.accept(call(body));
    await expect.poll(() => releases.length).toBe(3);
    releases[2]?.();
    expect(await third).toMatchObject({ accepted: 1 });
  });

  test('however many batches of one token wait, another token finds room', async () => {
    const releases: (() => void)[] = [];
    const waiting: EventLog = {
      append: () => new Promise((resolve) => releases.push(() => resolve({ kind: 'stored' }))),
      recall: () => Promise.resolve(null),
    };
    const { ingest } = setUp({
      eventLog: waiting,
      limits: { ...defaultIngestLimits, inFlightBytesMax: 100 * batchBytesMin },
    });
    const greedy = Promise.allSettled(
      Array.from({ length: 200 }, () => ingest.accept(call(good, { tokenId: 'greedy' }))),
    );
    const other = ingest.accept(call(good, { tokenId: 'other' }));
    await expect.poll(() => releases.length).toBe(51);
    for (const release of releases) release();
    expect(await other).toMatchObject({ accepted: 1 });
    const outcomes = await greedy;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });

  test('a batch that is larger than all room is still taken when it is alone', async () => {
    const { ingest } = setUp({ limits: { ...defaultIngestLimits, inFlightBytesMax: 10 } });
    const body = zlib.gzipSync(JSON.stringify(Array(1000).fill(good)));
    expect(await ingest.accept(call(body, { contentEncoding: 'gzip' }))).toMatchObject({ accepted: 1000 });
  });
});
