import { describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import type { Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import type { QueryEngine, QueryResult, RunRequest, RunTime } from '../ports/queryEngine.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from './queryQueue.ts';
import { runQuery } from './run.ts';
import { RunningQueries } from './runningQueries.ts';
import { StageTimes } from './stageTimes.ts';

const empty: QueryResult = {
  rows: new Uint8Array(),
  rowCount: 0,
  hasMore: false,
  cutByBytes: false,
  rowsScanned: null,
  elapsedMs: 1,
};
const request: RunRequest = {
  query: {
    relation: { kind: 'oneRow' },
    columns: [],
    outerLimit: null,
    notices: [],
    parameters: new Set(),
    usesNow: false,
    isVolatile: false,
  },
  parameters: new Map(),
  projects: null,
  redaction: null,
  nowMicros: 0,
  rowsMax: 1,
  bytesMax: 1,
  profile: 'plain',
};

/** A port double whose runs end when the test says so. */
function heldEngine() {
  const runs: { signal: AbortSignal; time?: RunTime; finish(result: QueryResult): void; fail(error: unknown): void }[] =
    [];
  const engine: QueryEngine = {
    run: (_request, signal, time) =>
      new Promise((resolve, reject) => {
        runs.push({ signal, finish: resolve, fail: reject, ...(time === undefined ? {} : { time }) });
      }),
    explain: async () => ({ statement: '', plan: '' }),
  };
  return { engine, runs };
}

function runner(concurrency = 1) {
  const timer = new ManualTimer();
  const queue = new QueryQueue({ concurrency, waitingMax: 2, waitMsMax: 10_000 }, timer, new MemoryTokenRuns());
  const { engine, runs } = heldEngine();
  const observations: Observation[] = [];
  const clock = new ManualClock(0);
  let nowMs = 0;
  const running = new RunningQueries({
    clock,
    randomness: systemRandomness,
    observe: (observation) => observations.push(observation),
    readMs: () => nowMs,
  });
  const times = new StageTimes(() => 0);
  const run = (signal: AbortSignal = new AbortController().signal, timeoutMs = 1000) =>
    runQuery(
      {
        token: { id: 't', concurrencyMax: null },
        endpoint: { id: 'e1', name: 'example.rows' },
        request: () => request,
        timeoutMs,
        callerSignal: signal,
        times,
      },
      { engine, queue, running, timer },
    );
  const advanceMs = (ms: number) => {
    nowMs += ms;
  };
  return { timer, queue, runs, run, running, observations, advanceMs, times };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );

describe('runQuery', () => {
  it('gives the result and its place back', async () => {
    const { timer, queue, runs, run } = runner();
    const result = run();
    await settled();
    runs[0]?.finish(empty);
    expect(await result).toBe(empty);
    await settled();
    expect([queue.runningCount, timer.pendingCount]).toEqual([0, 0]);
  });

  it('answers query.timeout at the deadline and tells the engine to stop with the same reason', async () => {
    const { timer, runs, run } = runner();
    const code = codeOf(run());
    await settled();
    timer.advanceMs(1000);
    expect(await code).toBe('query.timeout');
    expect(runs[0]?.signal.reason).toMatchObject({ code: 'query.timeout' });
  });

  it('counts no time that the engine takes back, and gives a run that begins again all of its time', async () => {
    const { timer, runs, run } = runner();
    const code = codeOf(run());
    await settled();
    timer.advanceMs(900);
    runs[0]?.time?.pause();
    timer.advanceMs(60_000);
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.time?.restart();
    timer.advanceMs(999);
    expect(runs[0]?.signal.aborted).toBe(false);
    timer.advanceMs(1);
    expect(await code).toBe('query.timeout');
    runs[0]?.fail(new ServiceError('engine.failed', 'stopped'));
    await settled();
    expect(timer.pendingCount).toBe(0);
  });

  it('goes on with the time that was left, however often it is paused', async () => {
    const { timer, runs, run } = runner();
    const code = codeOf(run());
    await settled();
    runs[0]?.time?.resume();
    timer.advanceMs(400);
    for (const leftMs of [600, 300]) {
      runs[0]?.time?.pause();
      runs[0]?.time?.pause();
      timer.advanceMs(5_000);
      expect(runs[0]?.signal.aborted).toBe(false);
      runs[0]?.time?.resume();
      timer.advanceMs(leftMs - 300);
    }
    expect(runs[0]?.signal.aborted).toBe(false);
    timer.advanceMs(300);
    expect(await code).toBe('query.timeout');
  });

  it('reports how long a run waited, also one that ends while it waits', async () => {
    const { timer, runs, run, times } = runner();
    const code = codeOf(run());
    await settled();
    runs[0]?.time?.pause();
    timer.advanceMs(300);
    runs[0]?.time?.resume();
    timer.advanceMs(200);
    runs[0]?.time?.pause();
    timer.advanceMs(50);
    runs[0]?.time?.pause();
    timer.advanceMs(50);
    runs[0]?.fail(new ServiceError('engine.failed', 'stopped'));
    expect(await code).toBe('engine.failed');
    expect(times.byStage()).toEqual({ queue: 0, wait: 400, run: 0 });
  });

  it('keeps the place until the engine has stopped, so that a stuck query is not joined by more', async () => {
    const { timer, queue, runs, run } = runner();
    const code = codeOf(run());
    await settled();
    timer.advanceMs(1000);
    await code;
    expect(queue.runningCount).toBe(1);
    runs[0]?.fail(new Error('interrupted'));
    await settled();
    expect(queue.runningCount).toBe(0);
  });

  it('hands a disconnect down to the engine', async () => {
    const { runs, run } = runner();
    const caller = new AbortController();
    const code = codeOf(run(caller.signal));
    await settled();
    caller.abort(new ServiceError('query.cancelled', 'gone'));
    expect(await code).toBe('query.cancelled');
    expect(runs[0]?.signal.aborted).toBe(true);
    runs[0]?.fail(new Error('interrupted'));
  });

  it('does not count waiting for a place as run time', async () => {
    const { timer, runs, run } = runner();
    const first = run(undefined, 60_000);
    const second = codeOf(run(undefined, 1000));
    await settled();
    timer.advanceMs(5000);
    runs[0]?.finish(empty);
    await first;
    await settled();
    timer.advanceMs(999);
    runs[1]?.finish(empty);
    expect(await second).toBe('none');
  });

  it('never starts a query of a caller who left while waiting', async () => {
    const { runs, run } = runner();
    const first = run();
    const caller = new AbortController();
    const second = codeOf(run(caller.signal));
    await settled();
    caller.abort(new ServiceError('query.cancelled', 'gone'));
    runs[0]?.finish(empty);
    await first;
    expect(await second).toBe('query.cancelled');
    expect(runs).toHaveLength(1);
  });

  it("passes the engine's own error on", async () => {
    const { runs, run } = runner();
    const code = codeOf(run());
    await settled();
    runs[0]?.fail(new ServiceError('sql.data', 'division by zero'));
    expect(await code).toBe('sql.data');
  });
});

describe('running queries', () => {
  it('lists a query while it waits, runs and stops, and not after', async () => {
    const { timer, runs, run, running, observations, advanceMs } = runner();
    const first = codeOf(run());
    const second = codeOf(run());
    await settled();
    advanceMs(7);
    const stages = () => running.list(null).queries.map(({ stage, elapsedMs }) => ({ stage, elapsedMs }));
    expect(stages()).toEqual([
      { stage: 'running', elapsedMs: 7 },
      { stage: 'waiting', elapsedMs: 7 },
    ]);
    timer.advanceMs(1000);
    expect(await first).toBe('query.timeout');
    expect(stages()[0]).toEqual({ stage: 'stopping', elapsedMs: 7 });
    runs[0]?.fail(new Error('interrupted'));
    await settled();
    advanceMs(3);
    expect(stages()).toEqual([{ stage: 'running', elapsedMs: 10 }]);
    runs[1]?.finish(empty);
    expect(await second).toBe('none');
    await settled();
    expect(running.list(null).queries).toEqual([]);
    expect(observations).toMatchObject([
      { kind: 'query.ended', endpoint: 'example.rows', waitedMs: 0, elapsedMs: 7, outcome: 'query.timeout' },
      { kind: 'query.ended', endpoint: 'example.rows', waitedMs: 7, elapsedMs: 3, outcome: 'answered' },
    ]);
  });

  it('ends a query that is killed, whether it runs or waits, and keeps its place until the engine has stopped', async () => {
    const { queue, runs, run, running, observations } = runner();
    const runningCode = codeOf(run());
    const waitingCode = codeOf(run());
    await settled();
    for (const { id } of running.list(null).queries) running.kill(id, null, 'operator');
    expect([await runningCode, await waitingCode]).toEqual(['query.killed', 'query.killed']);
    expect([queue.runningCount, queue.waitingCount, runs.length]).toEqual([1, 0, 1]);
    runs[0]?.fail(new Error('interrupted'));
    await settled();
    expect(queue.runningCount).toBe(0);
    expect(observations.map((each) => ('outcome' in each ? each.outcome : each.kind))).toEqual([
      'query.killed',
      'query.killed',
      'query.killed',
      'query.killed',
    ]);
  });

  it('tells the engine what ended a query first, whatever comes while it stops', async () => {
    const { timer, runs, run, running, observations } = runner();
    const caller = new AbortController();
    const code = codeOf(run(caller.signal));
    await settled();
    timer.advanceMs(1000);
    running.kill(running.list(null).queries[0]?.id ?? '', null, 'operator');
    caller.abort(new ServiceError('query.cancelled', 'gone'));
    expect(await code).toBe('query.timeout');
    expect(runs[0]?.signal.reason).toMatchObject({ code: 'query.timeout' });
    runs[0]?.fail(new Error('interrupted'));
    await settled();
    expect(observations.at(-1)).toMatchObject({ kind: 'query.ended', outcome: 'query.timeout' });
  });

  it('shows and ends nothing of another token where one is given', async () => {
    const { runs, run, running } = runner();
    const code = codeOf(run());
    await settled();
    const [query] = running.list('t').queries;
    expect(running.list('other').queries).toEqual([]);
    expect(() => running.kill(query?.id ?? '', 'other', 'other')).toThrow(/No query with the ID/);
    runs[0]?.finish(empty);
    expect(await code).toBe('none');
  });

  it('answers every query with the reason of an end, those that wait and those that come after it too', async () => {
    const { queue, runs, run, running } = runner();
    const before = [codeOf(run()), codeOf(run())];
    await settled();
    running.endAll(new ServiceError('service.draining', 'The service stops.'));
    expect(await Promise.all([...before, codeOf(run())])).toEqual(Array(3).fill('service.draining'));
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true]);
    runs[0]?.fail(new Error('interrupted'));
    await settled();
    expect([queue.runningCount, running.list(null).queries]).toEqual([0, []]);
  });
});
