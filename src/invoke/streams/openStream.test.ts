import { describe, expect, it } from 'vitest';
import { redactHere } from '../../../test/support/redactHere.ts';
import { ManualClock } from '../../core/clock.ts';
import { Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import type { FormatName } from '../../formats/resultFormat.ts';
import { compileStored } from '../../googlesql/compile.ts';
import type { QueryEngine, RunTime } from '../../ports/queryEngine.ts';
import { createRedactor } from '../../redact/createRedactor.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { cachingEndpoint } from '../cachedCalls.fixture.ts';
import { noFacts } from '../callFacts.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import { StageTimes } from '../stageTimes.ts';
import { type BodySink, openStream, type ResultStream, stallMsMax } from './openStream.ts';
import { StreamPool } from './streamPool.ts';

type Stream = NonNullable<QueryEngine['stream']>;

const end = { rowCount: 2, hasMore: false, cutByBytes: false, rowsScanned: null, elapsedMs: 1 };
const frame = (text: string) => ({ kind: 'json' as const, rows: Buffer.from(text), rowCount: 1, ends: null });

/** A body of which the reader takes only what `take` lets it. */
class HeldBody implements BodySink {
  text = '';
  isHeld = false;
  readonly #waiting: (() => void)[] = [];

  write(bytes: Uint8Array): Promise<void> | null {
    this.text += Buffer.from(bytes).toString();
    if (!this.isHeld) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  take(): void {
    this.isHeld = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function setUp() {
  const timer = new ManualTimer();
  const clock = new ManualClock(Date.UTC(2026, 4, 1) * 1000);
  const redactor = createRedactor();
  const runs = new MemoryTokenRuns();
  const queue = new QueryQueue({ concurrency: 1, waitingMax: 1, waitMsMax: 1000 }, timer, runs);
  const running = new RunningQueries({ clock, randomness: systemRandomness, observe: () => {}, readMs: () => 0 });
  const engine: QueryEngine = {
    run: () => Promise.reject(new Error('not here')),
    explain: () => Promise.reject(new Error('not here')),
  };
  const streams = new StreamPool({ streamsMax: 1, ofTokenMax: 1 }, runs, queue);
  const services = {
    ...{ timer, clock, redactor, queue, running, engine, streams },
    redactingThreads: redactHere(redactor),
    turns: new Turns(),
  };
  const query = compileStored("select 'a' as v", { sources: new Map(), parameters: new Map() });
  const facts = noFacts();
  let authenticate = (): void => {};
  const revoke = (error: ServiceError) => {
    authenticate = () => {
      throw error;
    };
  };
  const open = (stream: Stream, format: FormatName = 'ndjson', isRedacted = false): Promise<ResultStream> =>
    openStream(
      {
        endpoint: cachingEndpoint({ stream: { maxRows: 10, maxBytes: 1000 } }),
        question: {
          query,
          request: {
            parameters: new Map(),
            projects: null,
            redaction: null,
            rowsMax: 10,
            bytesMax: 1000,
            profile: 'plain',
          },
          timeoutMs: 100_000,
        },
        limit: { rowsMax: 10, cutMeans: 'max_rows' },
        format: { name: format, isGuarded: false, hasMark: false },
        isRedacted,
        isRedactedAtScan: false,
        token: { id: 't', concurrencyMax: null },
        requireRights: async () => authenticate(),
        noticesAt: () => [],
        requestId: 'r',
        signal: new AbortController().signal,
        times: new StageTimes(() => 0),
        facts,
      },
      stream,
      services,
    );
  return { timer, running, streams, facts, open, revoke };
}

/** Streams the frames, and ends when it is told to. */
const streamOf =
  (texts: readonly string[], failure: ServiceError | null = null): Stream =>
  async (_request, sink, signal) => {
    sink.begins({ rowsScanned: null });
    for (const text of texts) await sink.rows(frame(text));
    signal.throwIfAborted();
    if (failure !== null) throw failure;
    return end;
  };

describe('a stream', () => {
  it('ends when its token is revoked, before the next rows', async () => {
    const { open, timer, facts, revoke } = setUp();
    const revoked = new ServiceError('auth.invalid', 'The token is not valid.');
    let revokeNow = () => {};
    const stream = await open(async (_request, sink) => {
      sink.begins({ rowsScanned: null });
      await sink.rows(frame('{"v":"a"}'));
      revokeNow();
      timer.advanceMs(499);
      await sink.rows(frame('{"v":"b"}'));
      timer.advanceMs(1);
      await sink.rows(frame('{"v":"c"}'));
      return end;
    });
    revokeNow = () => revoke(revoked);
    const body = new HeldBody();
    await stream.send(body);
    expect(body.text).toContain('{"v":"b"}');
    expect(body.text).not.toContain('{"v":"c"}');
    expect(body.text).toContain('auth.invalid');
    expect(facts.failure).toBe(revoked);
  });

  it('ends when its token is revoked while no rows come', async () => {
    const { open, timer, running, streams, facts, revoke } = setUp();
    const revoked = new ServiceError('auth.invalid', 'The token is not valid.');
    const stream = await open(async (_request, sink, signal) => {
      sink.begins({ rowsScanned: null });
      await sink.rows(frame('{"v":"a"}'));
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return end;
    });
    const body = new HeldBody();
    const sent = stream.send(body);
    await expect.poll(() => body.text).toContain('a');
    timer.advanceMs(500);
    await expect.poll(() => timer.pendingCount).toBeGreaterThan(1);
    expect(facts.failure).toBeNull();
    revoke(revoked);
    timer.advanceMs(500);
    await sent;
    const [first, last = ''] = body.text.trimEnd().split('\n');
    expect([first, JSON.parse(last)['@logmill'].error.code]).toEqual(['{"v":"a"}', 'auth.invalid']);
    await expect.poll(() => streams.runningCount).toBe(0);
    expect([running.list(null).queries, timer.pendingCount]).toEqual([[], 0]);
  });

  it('sends nothing more of a frame once its token is revoked, however slowly it is read', async () => {
    const { open, timer, facts, revoke } = setUp();
    const body = new HeldBody();
    body.isHeld = true;
    const long = `{"v":"${'a'.repeat(100_000)}"}`;
    const stream = await open(streamOf([long]));
    const sent = stream.send(body);
    sent.catch(() => undefined);
    await expect.poll(() => body.text.length).toBe(64 * 1024);
    revoke(new ServiceError('auth.invalid', 'The token is not valid.'));
    timer.advanceMs(500);
    // The deadline, and that of the reader.
    await expect.poll(() => timer.pendingCount).toBe(2);
    body.take();
    // It ends in the middle of a row, after which no record can stand.
    await expect(sent).rejects.toMatchObject({ code: 'auth.invalid' });
    expect([body.text.length, facts.failure?.code]).toEqual([64 * 1024, 'auth.invalid']);
  });

  it('sends nothing if its token was revoked before anybody read it', async () => {
    const { open, timer, revoke } = setUp();
    const stream = await open(streamOf(['{"v":"a"}']));
    revoke(new ServiceError('auth.invalid', 'The token is not valid.'));
    timer.advanceMs(500);
    const body = new HeldBody();
    await stream.send(body);
    expect(body.text).toMatch(/^\{"@logmill":\{"status":"error","rows":0,"error":\{"code":"auth.invalid"/);
  });

  it('is sent with its end, and counted', async () => {
    const { open, facts, streams } = setUp();
    const stream = await open(streamOf(['{"v":"a"}', '{"v":"b"}']));
    expect(stream.headers).toMatchObject({ 'cache-control': 'private, no-store, no-transform' });
    const body = new HeldBody();
    await stream.send(body);
    expect(body.text).toMatch(
      /^\{"v":"a"\}\n\{"v":"b"\}\n\{"@logmill":\{"status":"complete","rows":2,"meta":\{.*\}\}\}\n$/,
    );
    expect(facts).toMatchObject({ rowCount: 2, bytes: body.text.length, cache: 'bypass', failure: null });
    expect(streams.runningCount).toBe(0);
  });

  it('has the error of its first frame before anything is sent', async () => {
    const { open, streams } = setUp();
    const failing: Stream = async (_request, sink) => {
      sink.begins({ rowsScanned: null });
      await sink.rows(frame('not JSON'));
      return end;
    };
    await expect(open(failing, 'csv')).rejects.toThrow('not JSON at byte 0');
    await expect(open(streamOf([], new ServiceError('sql.data', 'planted')))).rejects.toThrow('planted');
    expect(streams.runningCount).toBe(0);
  });

  it('asks the engine for lines of its format, but for JSON if rows are redacted, and takes nothing else then', async () => {
    const { open } = setUp();
    const forms: unknown[] = [];
    const lines: Stream = async ({ form }, sink) => {
      forms.push(form);
      sink.begins({ rowsScanned: null });
      await sink.rows({ kind: 'lines', rows: Buffer.from('"jane@example.com"\r'), rowCount: 1 });
      return end;
    };
    const body = new HeldBody();
    await (await open(lines, 'csv')).send(body);
    expect(body.text).toBe('"v"\r\n"jane@example.com"\r\n');
    await expect(open(lines, 'csv', true)).rejects.toThrow('in another form than JSON');
    await expect(open(lines, 'ndjson')).rejects.toThrow('another format');
    expect(forms).toEqual([{ kind: 'csv', isGuarded: false }, undefined, undefined]);
  });

  it('asks the engine for columns of Arrow, but for JSON if rows are redacted, and takes nothing else then', async () => {
    const { open } = setUp();
    const forms: unknown[] = [];
    const columns: Stream = async ({ form }, sink) => {
      forms.push(form);
      sink.begins({ rowsScanned: null });
      await sink.rows({ kind: 'columns', rows: Buffer.from('jane@example.com'), rowCount: 1 });
      return end;
    };
    await expect(open(columns, 'arrow', true)).rejects.toThrow('in another form than JSON');
    await expect(open(columns, 'csv')).rejects.toThrow('another format');
    await expect(open(columns, 'ndjson')).rejects.toThrow('another format');
    await expect(open(columns, 'arrow')).rejects.toThrow('a frame');
    expect(forms).toEqual([undefined, { kind: 'csv', isGuarded: false }, undefined, { kind: 'columns' }]);
  });

  it.each(['ndjson', 'csv'] as const)('whose query fails later does not look complete in %s', async (format) => {
    const { open, facts } = setUp();
    const body = new HeldBody();
    const secret = 'Bad value: jane@example.com.';
    const stream = await open(streamOf(['{"v":"a"}'], new ServiceError('sql.data', secret)), format, true);
    const sent = stream.send(body);
    if (format === 'csv') await expect(sent).rejects.toThrow('[REDACTED:email]');
    else {
      await sent;
      const [, last = ''] = body.text.trimEnd().split('\n');
      expect(JSON.parse(last)).toEqual({
        '@logmill': {
          status: 'error',
          rows: 1,
          error: { code: 'sql.data', message: 'Bad value: [REDACTED:email].' },
          request_id: 'r',
        },
      });
    }
    expect(facts.failure?.code).toBe('sql.data');
  });

  it('is broken off if its reader takes nothing for half a minute, but not if it takes some in time', async () => {
    const { open, timer, running, streams, facts } = setUp();
    const body = new HeldBody();
    body.isHeld = true;
    const stream = await open(streamOf(['{"v":"a"}', '{"v":"b"}']));
    const sent = stream.send(body);
    sent.catch(() => undefined);
    await expect.poll(() => body.text).toContain('a');
    timer.advanceMs(stallMsMax - 1);
    body.take();
    body.isHeld = true;
    await expect.poll(() => body.text).toContain('b');
    timer.advanceMs(stallMsMax - 1);
    expect(running.list(null).queries).toHaveLength(1);
    timer.advanceMs(1);
    await expect(sent).rejects.toMatchObject({ code: 'stream.stalled' });
    expect(body.text).not.toContain('@logmill');
    await expect.poll(() => streams.runningCount).toBe(0);
    expect(running.list(null).queries).toEqual([]);
    expect(facts.failure?.code).toBe('stream.stalled');
  });

  it('that is ended in the middle of a frame says so after whole rows', async () => {
    const { open, running } = setUp();
    const body = new HeldBody();
    body.isHeld = true;
    const stream = await open(streamOf(['{"v":"a"}', '{"v":"b"}']));
    const sent = stream.send(body);
    await expect.poll(() => body.text).toContain('a');
    running.endAll(new ServiceError('query.killed', 'planted'));
    body.take();
    await sent;
    const [first, last = '', ...others] = body.text.trimEnd().split('\n');
    expect([first, JSON.parse(last)['@logmill'].error.code, others]).toEqual(['{"v":"a"}', 'query.killed', []]);
  });

  it('has a deadline for the engine, which stops while the reader is waited for', async () => {
    const { open, timer } = setUp();
    const times: RunTime[] = [];
    const stream = await open(async (_request, sink, signal, time) => {
      if (time !== undefined) times.push(time);
      sink.begins({ rowsScanned: null });
      await sink.rows(frame('{"v":"a"}'));
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return end;
    });
    const body = new HeldBody();
    const sent = stream.send(body);
    times[0]?.pause();
    timer.advanceMs(200_000);
    times[0]?.resume();
    timer.advanceMs(99_999);
    expect(body.text).not.toContain('query.timeout');
    timer.advanceMs(1);
    await sent;
    expect(body.text).toContain('query.timeout');
  });
});
