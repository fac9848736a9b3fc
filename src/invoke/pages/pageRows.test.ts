import { describe, expect, it } from 'vitest';
import { unanswered } from '../../../test/support/unanswered.ts';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { compileStored } from '../../googlesql/compile.ts';
import type { QueryEngine, QueryResult } from '../../ports/queryEngine.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import type { RowsCall, RowsServices } from '../answerRows.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import { StageTimes } from '../stageTimes.ts';
import { CursorKeys } from './cursorKeys.ts';
import { pageRows } from './pageRows.ts';
import { MemoryPageSecrets, pagesOf } from './pages.fixture.ts';
import { type PageServices, preparePage } from './pages.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

function prepared(cursor: string | null, services: PageServices, signal = new AbortController().signal) {
  const query = compileStored('select event_message as v from sources.pooler_logs', { sources, parameters: new Map() });
  return preparePage(
    {
      ask: { size: 2, cursor },
      query,
      endpoint: { id: 'e', version: 1, query: '', sandbox: false },
      callerQuery: null,
      parameters: new Map(),
      token: { scopes: [], restrictions: null },
      form: [],
      rowsMax: 10,
      timeoutMs: 1000,
      signal,
    },
    services,
  );
}

/** The rows with these arrival numbers. */
const rowsOf = (first: number, last: number, isCut = false): QueryResult => ({
  rows: Buffer.from('{}'),
  rowCount: first - last + 1,
  hasMore: true,
  cutByBytes: isCut,
  rowsScanned: null,
  pageKeys: [`{"k0":${first},"k1":"id"}`, `{"k0":${last},"k1":"id"}`],
  elapsedMs: 1,
});

/** Reads a page from an engine that never learns what the others stored, or with a store that does not give its secrets. */
function reading(missing: 'events' | 'secrets' = 'events', cursor: string | null = null) {
  const { never, asked } = unanswered();
  const secrets = new MemoryPageSecrets();
  if (missing === 'secrets') secrets.load = never;
  const keys = new CursorKeys(secrets, systemClock, systemRandomness);
  const reachArrival = missing === 'events' ? never : async () => true;
  return { asked, ...readingWith({ keys, reachArrival }, cursor) };
}

/** Reads a page. `run`: what the engine does in each run; by default it never ends. */
function readingWith(
  given: Partial<PageServices>,
  cursor: string | null,
  run: (timer: ManualTimer) => Promise<QueryResult> = () => new Promise(() => {}),
) {
  const timer = new ManualTimer();
  const caller = new AbortController();
  const preparing = prepared(cursor, { ...pagesOf(systemClock, 9), ...given, timer }, caller.signal);
  const queue = new QueryQueue({ concurrency: 1, waitingMax: 1, waitMsMax: 1 }, timer, new MemoryTokenRuns());
  let runs = 0;
  const engine: Pick<QueryEngine, 'run'> = {
    run: () => {
      runs++;
      return run(timer);
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
  return { timer, caller, outcome, queue, runs: () => runs };
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

describe('all that a page waits for is within the limit of its call', () => {
  const { keys } = pagesOf(systemClock, 9);
  const [firstPage, secondPage] = [rowsOf(9, 8), rowsOf(7, 6)].map((result) => async (cursor: string | null) => {
    const page = await prepared(cursor, { ...pagesOf(systemClock, 9), keys });
    const { links } = await page.read(async ({ ready, request }) => {
      await ready();
      request();
      return result;
    });
    return links;
  });

  it('the key of its cursor, and then its run', async () => {
    const cursor = (await firstPage?.(null))?.next ?? '';
    let give = () => {};
    const given = new Promise<void>((resolve) => (give = resolve));
    const find = (id: number) => given.then(() => keys.find(id));
    const { timer, outcome, runs } = readingWith({ keys: { find, current: () => keys.current() } }, cursor);
    timer.advanceMs(600);
    give();
    expect([await outcome(), runs()]).toEqual(['waits', 1]);
    timer.advanceMs(399);
    expect(await outcome()).toBe('waits');
    timer.advanceMs(1);
    expect([await outcome(), timer.pendingCount]).toEqual(['query.timeout', 0]);
  });

  it('and each run that has too many bytes', async () => {
    const cursor = (await secondPage?.((await firstPage?.(null))?.next ?? ''))?.prev ?? '';
    const run = async (timer: ManualTimer) => {
      timer.advanceMs(600);
      return rowsOf(8, 7, true);
    };
    const { outcome, runs } = readingWith({ keys }, cursor, run);
    expect([await outcome(), runs()]).toEqual(['query.timeout', 2]);
  });
});
