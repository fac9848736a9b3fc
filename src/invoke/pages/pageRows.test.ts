import { expect, it } from 'vitest';
import { unanswered } from '../../../test/support/unanswered.ts';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { compileStored } from '../../googlesql/compile.ts';
import type { QueryEngine } from '../../ports/queryEngine.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import type { RowsCall, RowsServices } from '../answerRows.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import { StageTimes } from '../stageTimes.ts';
import { CursorKeys } from './cursorKeys.ts';
import { pageRows } from './pageRows.ts';
import { MemoryPageSecrets, pagesOf } from './pages.fixture.ts';
import { preparePage } from './pages.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

/** Reads a page from an engine that never learns what the others stored, or with a store that does not give its secrets. */
function reading(missing: 'events' | 'secrets' = 'events', cursor: string | null = null) {
  const timer = new ManualTimer();
  const caller = new AbortController();
  const { never, asked } = unanswered();
  const secrets = new MemoryPageSecrets();
  if (missing === 'secrets') secrets.load = never;
  const keys = new CursorKeys(secrets, systemClock, systemRandomness);
  const reachArrival = missing === 'events' ? never : async () => true;
  const query = compileStored('select event_message as v from sources.pooler_logs', { sources, parameters: new Map() });
  const preparing = preparePage(
    {
      ask: { size: 2, cursor },
      query,
      endpoint: { id: 'e', version: 1, query: '' },
      callerQuery: null,
      parameters: new Map(),
      token: { scopes: [], restrictions: null },
      form: [],
      rowsMax: 10,
      timeoutMs: 1000,
      signal: caller.signal,
    },
    { ...pagesOf(systemClock, 9), keys, reachArrival, timer },
  );
  const queue = new QueryQueue({ concurrency: 1, waitingMax: 1, waitMsMax: 1 }, timer, new MemoryTokenRuns());
  let runs = 0;
  const engine: Pick<QueryEngine, 'run'> = {
    run: () => {
      runs++;
      return new Promise(() => {});
    },
  };
  const running = new RunningQueries({
    clock: systemClock,
    randomness: systemRandomness,
    observe: () => undefined,
    readMs: () => 0,
  });
  const call = {
    endpoint: { id: 'e', name: 'e' },
    question: { request: {}, timeoutMs: 1000 },
    demand: { onlyIfCached: false },
    token: { id: 't', concurrencyMax: null },
    signal: caller.signal,
    times: new StageTimes(() => 0),
  };
  const services = { engine, queue, running, timer };
  const ended = preparing
    .then((page) => pageRows(page, call as unknown as RowsCall, services as unknown as RowsServices))
    .then(
      () => 'read',
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );
  /** How the call ended, if it did by now. */
  const outcome = async () => {
    const next = new Promise<string>((resolve) => setImmediate(() => resolve('waits')));
    return await Promise.race([ended, next]);
  };
  return { asked, timer, caller, outcome, queue, runs: () => runs };
}

it.each(['events', 'secrets'] as const)(
  'waits for %s from the store under the deadline of its run, and gives its slot back',
  async (missing) => {
    const { asked, timer, outcome, queue, runs } = reading(missing);
    await asked;
    timer.advanceMs(999);
    expect([await outcome(), queue.runningCount]).toEqual(['waits', 1]);
    timer.advanceMs(1);
    expect([await outcome(), queue.runningCount, timer.pendingCount, runs()]).toEqual(['query.timeout', 0, 0, 0]);
  },
);

it.each(['events', 'secrets'] as const)('waits for %s from the store no longer than its caller', async (missing) => {
  const { asked, timer, caller, outcome, queue, runs } = reading(missing);
  await asked;
  caller.abort(new ServiceError('query.cancelled', 'The caller closed the connection.'));
  expect([await outcome(), queue.runningCount, timer.pendingCount, runs()]).toEqual(['query.cancelled', 0, 0, 0]);
});

it('waits for the key of a cursor no longer than its query may run, and takes no slot meanwhile', async () => {
  const text = Buffer.alloc(400, 1).toString('base64url');
  const { asked, timer, outcome, queue } = reading('secrets', text);
  await asked;
  timer.advanceMs(999);
  expect([await outcome(), queue.runningCount]).toEqual(['waits', 0]);
  timer.advanceMs(1);
  expect([await outcome(), timer.pendingCount]).toEqual(['query.timeout', 0]);
});
