import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { ManualTimer } from '../../core/timer.ts';
import { compileStored } from '../../googlesql/compile.ts';
import { shareableTail } from '../../googlesql/plan/sharedTail.ts';
import { tailedQuery } from '../../googlesql/plan/tailQuery.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import type { TailRows } from './readTail.ts';
import { wholeEvent } from './tailIds.ts';
import { commonRunner, readOwnerOf, type TailPlan } from './tailPlan.ts';
import { TailReads } from './tailReads.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));

function planOf(pattern: string, own: Partial<TailPlan> = {}): TailPlan {
  const text = `select event_message as v from sources.pooler_logs where event_message like '${pattern}'`;
  const query = compileStored(text, { sources, parameters: new Map(), limits: { subqueryDepthMax: 9 } as never });
  const tailed = tailedQuery(query);
  if ('construct' in tailed) throw new Error(tailed.construct);
  return {
    key: pattern,
    endpoint: { id: 'e', name: 'e' },
    query,
    tailed,
    shareable: shareableTail(query, new Map()),
    request: { parameters: new Map(), projects: null, redaction: null, profile: 'plain' },
    wakes: null,
    isRedacted: false,
    isRedactedAtScan: false,
    runner: { id: pattern, concurrencyMax: null },
    timeoutMs: 30_000,
    ...own,
  };
}

const from = { arrival: 0, row: wholeEvent };

const settled = async () => {
  for (let n = 0; n < 9; n++) await new Promise((resolve) => setImmediate(resolve));
};

interface Run {
  /** The patterns of the tails that it reads, of those that the test names. */
  readonly read: readonly string[];
  readonly signal: AbortSignal;
}

/** Reads of tails from an engine that answers as the test says; without an answer, when it is stopped. */
function readsOf(names: readonly string[], answer: (run: Run) => object | null, services: object = {}) {
  const timer = new ManualTimer();
  const runs: string[] = [];
  const reads = new TailReads({
    timer,
    clock: systemClock,
    queue: new QueryQueue({ concurrency: 9, waitingMax: 9, waitMsMax: 10_000 }, timer, new MemoryTokenRuns()),
    running: new RunningQueries({
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      readMs: () => timer.nowMs(),
    }),
    engine: {
      run: ({ query }: { readonly query: unknown }, signal: AbortSignal) => {
        const read = names.filter((name) => inspect(query, { depth: null }).includes(`'${name}'`));
        runs.push(read.join());
        const given = answer({ read, signal });
        return given === null
          ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          : Promise.resolve(given);
      },
    },
    ...services,
  } as never);
  const [together, alone] = (['together', 'alone'] as const).map(
    (how) => (plan: TailPlan) =>
      reads[how](plan, from, 10, { rowsMax: 9, bytesMax: 999 }, new AbortController().signal),
  ) as [(plan: TailPlan) => Promise<TailRows>, (plan: TailPlan) => Promise<TailRows>];
  return { timer, runs, reads, together, alone };
}

const nothing = { rows: new Uint8Array(), rowKeys: [], hasMore: false, cutByBytes: false };

/** What a promise has come to. */
function outcomeOf<T>(promise: Promise<T>): { value?: T; error?: unknown } {
  const outcome: { value?: T; error?: unknown } = {};
  promise.then(
    (value) => {
      outcome.value = value;
    },
    (error: unknown) => {
      outcome.error = error;
    },
  );
  return outcome;
}

it('lets a tail wait a second at most for another one whose query takes long', async () => {
  const { timer, runs, reads, together } = readsOf(['quick', 'slow'], ({ read }) =>
    read.includes('slow') ? null : nothing,
  );
  const plans = [planOf('quick'), planOf('slow')] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  const [quick, slow] = [outcomeOf(together(plans[0])), outcomeOf(together(plans[1]))];
  await settled();
  expect(runs).toEqual(['quick,slow']);
  timer.advanceMs(1000);
  await settled();
  expect(quick.value).toMatchObject({ end: { arrival: 10 } });
  expect(slow).toEqual({});
  timer.advanceMs(2000);
  await settled();
  expect(slow.error).toMatchObject({ code: 'query.timeout' });
  expect(runs).toEqual(['quick,slow', 'quick', 'slow']);
});

it('reads a tail apart from others that takes long alone, although it does not fail', async () => {
  const { timer, runs, reads, together } = readsOf(['quick', 'slow'], ({ read, signal }) => {
    if (!read.includes('slow')) return nothing;
    return read.length > 1 ? null : ended(signal);
  });
  const ended = (signal: AbortSignal) =>
    new Promise((resolve) => {
      timer.after(800, () => resolve(nothing));
      signal.addEventListener('abort', () => resolve(nothing));
    });
  const plans = [planOf('quick'), planOf('slow')] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  const first = plans.map(together);
  await settled();
  timer.advanceMs(1000);
  await settled();
  timer.advanceMs(800);
  await Promise.all(first);
  await settled();
  const second = plans.map(together);
  await settled();
  timer.advanceMs(800);
  await Promise.all(second);
  expect(runs.slice(0, 3)).toEqual(['quick,slow', 'quick', 'slow']);
  expect(runs.slice(3).sort()).toEqual(['quick', 'slow']);
});

it('leaves the condition of a tail that fails alone out of what others read', async () => {
  let isFailing = true;
  const { timer, runs, reads, together, alone } = readsOf(['a', 'b', 'slow'], ({ read }) =>
    read.includes('slow') && isFailing ? null : nothing,
  );
  const [a, b, slow] = [planOf('a'), planOf('b'), planOf('slow')] as const;
  for (const plan of [a, b, slow]) reads.add(plan, plan.runner);
  const failed = outcomeOf(alone(slow));
  await settled();
  timer.advanceMs(2000);
  await settled();
  expect(failed.error).toMatchObject({ code: 'query.timeout' });
  await Promise.all([together(a), together(b)]);
  isFailing = false;
  await alone(slow);
  await Promise.all([together(a), together(b), together(slow)]);
  expect(runs).toEqual(['slow', 'a,b', 'slow', 'a,b,slow']);
});

it('does not let slow tails of one owner take the places of others', async () => {
  const slow = Array.from({ length: 9 }, (_, i) => `slow${i}`);
  const { timer, runs, alone } = readsOf([...slow, 'quick'], ({ read }) => (read.includes('quick') ? nothing : null));
  const plans = slow.map((name, i) =>
    planOf(name, { runner: { id: `token ${i % 3}`, concurrencyMax: null, placeOwner: 'one' } }),
  );
  const readAll = () => plans.map((plan) => outcomeOf(alone(plan)));
  readAll();
  await settled();
  expect(runs).toEqual(['slow0', 'slow1']);
  await alone(planOf('quick'));
  for (let n = 0; n < 5; n++) {
    timer.advanceMs(2000);
    await settled();
  }
  expect(runs).toHaveLength(10);
  // They are known to be slow now.
  readAll();
  await settled();
  expect(runs).toHaveLength(11);
  await alone(planOf('quick'));
});

it('gives up a place that waits for a slot of the queue', async () => {
  const { timer, alone } = readsOf(['held'], () => null);
  const runner = { id: 'held', concurrencyMax: 1 };
  outcomeOf(alone(planOf('held', { runner })));
  const waits = outcomeOf(alone(planOf('held', { runner })));
  await settled();
  timer.advanceMs(500);
  await settled();
  expect(waits.error).toMatchObject({ code: 'query.overloaded' });
});

it('gives rows to a tail while those of another one are redacted', async () => {
  const text = JSON.stringify({ v: 'x'.repeat(40_000) });
  const row = { ...nothing, rows: Buffer.from(text), rowKeys: [JSON.stringify({ k0: 1, k1: 'p', k2: '1,1' })] };
  const redactor = { description: 'd', redactGiven: (given: string) => given };
  const { reads, together } = readsOf(['plain', 'redacted'], () => row, {
    redactor,
    redactingThreads: { redact: () => new Promise(() => undefined) },
  });
  const plans = [planOf('plain'), planOf('redacted', { isRedacted: true })] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  const redacted = outcomeOf(together(plans[1]));
  expect((await together(plans[0])).rows).toHaveLength(1);
  expect(redacted).toEqual({});
});

it('reads a tail with few rows alone if another one has more than can be read at once', async () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ v: `bulk ${i}` }));
  const { runs, reads, together } = readsOf(['bulk', 'light'], ({ read }) =>
    read.length === 1
      ? nothing
      : {
          rows: Buffer.from(many.map((row) => JSON.stringify(row)).join()),
          rowKeys: many.map((_, i) => JSON.stringify({ k0: i + 1, k1: 'p', k2: '1,' })),
          hasMore: true,
          cutByBytes: false,
        },
  );
  const plans = [planOf('bulk'), planOf('light')] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  const [bulk, light] = await Promise.all([together(plans[0]), together(plans[1])]);
  expect(bulk).toMatchObject({ end: { arrival: 8 }, isCut: true });
  expect(light).toMatchObject({ end: { arrival: 10 }, isCut: false });
  expect(runs).toEqual(['bulk,light', 'light']);
});

it('counts the places of several tokens of one owner as those of the owner', () => {
  const runner = (id: string, placeOwner: string) => ({ id, concurrencyMax: null, placeOwner });
  expect(readOwnerOf(commonRunner([runner('a', 'x'), runner('b', 'x')], 'tails 1'))).toBe('x');
  expect(readOwnerOf(commonRunner([runner('a', 'x'), runner('b', 'y')], 'tails 1'))).toBe('tails 1');
});
