import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { systemRandomness } from '../../core/ids.ts';
import type { Observation } from '../../core/observation.ts';
import { ManualTimer } from '../../core/timer.ts';
import { compileStored } from '../../googlesql/compile.ts';
import { shareableTail } from '../../googlesql/plan/sharedTail.ts';
import { tailedQuery } from '../../googlesql/plan/tailQuery.ts';
import type { RunCaller, RunRequest } from '../../ports/queryEngine.ts';
import { builtinSources } from '../../sources/builtin.ts';
import { MemoryTokenRuns } from '../../stores/memory/memoryTokenRuns.ts';
import { QueryQueue } from '../queryQueue.ts';
import { RunningQueries } from '../runningQueries.ts';
import { EventSizes } from './eventSizes.ts';
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
    requestIds: [`request of ${pattern}`],
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
  /** The last arrival number. */
  readonly to: number;
  readonly caller: RunCaller;
}

/** Reads of tails from an engine that answers as the test says; without an answer, when it is stopped. */
function readsOf(names: readonly string[], answer: (run: Run) => object | null, services: object = {}) {
  const timer = new ManualTimer();
  const runs: string[] = [];
  const sizes = new EventSizes();
  const observed: Observation[] = [];
  const running = new RunningQueries({
    clock: systemClock,
    randomness: systemRandomness,
    observe: (each) => observed.push(each),
    readMs: () => timer.nowMs(),
  });
  const run = (
    { query, arrivals }: Pick<RunRequest, 'query' | 'arrivals'>,
    signal: AbortSignal,
    _time: unknown,
    caller: RunCaller,
  ) => {
    const read = names.filter((name) => inspect(query, { depth: null }).includes(`'${name}'`));
    runs.push(read.join());
    const given = answer({ read, signal, to: arrivals?.to ?? 0, caller });
    return given === null
      ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      : Promise.resolve(given);
  };
  const queue = new QueryQueue({ concurrency: 9, waitingMax: 9, waitMsMax: 10_000 }, timer, new MemoryTokenRuns());
  const reads = new TailReads(
    { timer, clock: systemClock, queue, running, engine: { run }, ...services } as never,
    sizes,
  );
  const [together, alone] = (['together', 'alone'] as const).map(
    (how) => (plan: TailPlan) =>
      reads[how](plan, from, 10, { rowsMax: 9, bytesMax: 999 }, new AbortController().signal),
  ) as [(plan: TailPlan) => Promise<TailRows>, (plan: TailPlan) => Promise<TailRows>];
  return { timer, runs, sizes, observed, running, reads, together, alone };
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

it('lets a tail wait two seconds at most for another one whose query takes long', async () => {
  const { timer, runs, reads, together } = readsOf(['quick', 'slow'], ({ read }) =>
    read.includes('slow') ? null : nothing,
  );
  const plans = [planOf('quick'), planOf('slow')] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  const [quick, slow] = [outcomeOf(together(plans[0])), outcomeOf(together(plans[1]))];
  await settled();
  expect(runs).toEqual(['quick,slow']);
  timer.advanceMs(2000);
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
  timer.advanceMs(2000);
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

/** Rows of events from number 1 on, more than can be read at once, all of the tails with a 1 in `tails`. */
const full = (tails: string, count = 9) => ({
  rows: Buffer.from(Array.from({ length: count }, (_, i) => JSON.stringify({ v: `bulk ${i}` })).join()),
  rowKeys: Array.from({ length: count }, (_, i) => JSON.stringify({ k0: i + 1, k1: 'p', k2: tails })),
  hasMore: true,
  cutByBytes: false,
});

it('reads the tails of a token apart from others that have more rows than can be read at once, for half a minute', async () => {
  let isBulk = true;
  const names = ['bulk1', 'bulk2', 'light1', 'light2'];
  const { timer, runs, reads, together } = readsOf(names, ({ read }) => {
    const tails = read.map((name) => (name.startsWith('bulk') ? '1' : '')).join();
    return isBulk && tails.includes('1') ? full(tails) : nothing;
  });
  const plans = names.map((name) => planOf(name, { runner: { id: name.slice(0, -1), concurrencyMax: null } }));
  for (const plan of plans) reads.add(plan, plan.runner);
  const ends = async () => (await Promise.all(plans.map(together))).map(({ end }) => end.arrival);
  expect(await ends()).toEqual([8, 8, 8, 8]);
  expect(await ends()).toEqual([8, 8, 10, 10]);
  expect(runs).toEqual(['bulk1,bulk2,light1,light2', 'bulk1,bulk2', 'light1,light2']);
  isBulk = false;
  timer.advanceMs(30_000);
  await Promise.all(plans.map(together));
  expect(runs.slice(3).map((run) => run.split(',').sort().join())).toEqual(['bulk1,bulk2,light1,light2']);
});

it('reads those together that ask while others are read, however far each is', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const ends: (() => void)[] = [];
  const { runs, reads } = readsOf(names, ({ read }) =>
    read.length === 1 ? nothing : new Promise((resolve) => ends.push(() => resolve(nothing))),
  );
  const plans = names.map((name) => planOf(name));
  for (const plan of plans) reads.add(plan, plan.runner);
  const [a, b, c, d, e] = plans as [TailPlan, TailPlan, TailPlan, TailPlan, TailPlan];
  const together = (plan: TailPlan, after: number, to: number) =>
    reads.together(
      plan,
      { arrival: after, row: wholeEvent },
      to,
      { rowsMax: 9, bytesMax: 999 },
      new AbortController().signal,
    );
  const first = [together(a, 0, 10), together(b, 0, 10)];
  await settled();
  const second = [together(c, 0, 20), together(d, 0, 20)];
  await settled();
  second.push(together(e, 5, 30));
  await settled();
  expect(runs).toHaveLength(1);
  ends[0]?.();
  await Promise.all(first);
  await settled();
  expect(runs).toHaveLength(2);
  ends[1]?.();
  expect((await Promise.all(second)).map(({ end }) => end.arrival)).toEqual([20, 20, 30]);
  expect(runs).toHaveLength(2);
});

it('finds the token whose tails make a shared read slow each time, although it does not fail', async () => {
  const names = ['a1', 'a2', 'slow1', 'slow2', 'b'];
  const { timer, runs, reads, together } = readsOf(names, ({ read }) => {
    if (!read.some((name) => name.startsWith('slow'))) return nothing;
    return new Promise((resolve) => timer.after(700, () => resolve(nothing)));
  });
  const plans = names.map((name) => planOf(name, { runner: { id: name.replace(/\d/, ''), concurrencyMax: null } }));
  for (const plan of plans) reads.add(plan, plan.runner);
  const tick = async () => {
    const read = Promise.all(plans.map(together));
    await settled();
    timer.advanceMs(700);
    await read;
    await settled();
    return runs.splice(0).sort();
  };
  const all = [names.join()];
  for (let n = 0; n < 3; n++) expect(await tick()).toEqual(all);
  expect(await tick()).toEqual(['a1,a2', 'b', 'slow1,slow2']);
  expect(await tick()).toEqual(['a1,a2,b', 'slow1,slow2']);
});

it('looks for a slow token more rarely if there is none', async () => {
  const names = ['a', 'b'];
  const { timer, runs, reads, together } = readsOf(names, () => {
    return new Promise((resolve) => timer.after(600, () => resolve(nothing)));
  });
  const plans = names.map((name) => planOf(name));
  for (const plan of plans) reads.add(plan, plan.runner);
  for (let n = 0; n < 30; n++) {
    const read = Promise.all(plans.map(together));
    await settled();
    timer.advanceMs(600);
    await read;
    await settled();
  }
  expect(runs.filter((run) => run === 'a,b')).toHaveLength(27);
  expect(runs.filter((run) => run === 'a')).toHaveLength(3);
});

it('reads no more large events at once than the engine can stop to read', async () => {
  const asked: number[] = [];
  const { sizes, reads, together, alone } = readsOf(['a', 'b'], ({ to }) => {
    asked.push(to);
    return nothing;
  });
  const plans = [planOf('a'), planOf('b')] as const;
  for (const plan of plans) reads.add(plan, plan.runner);
  sizes.add(0, 10, [{ source: 'pooler_logs', projects: new Map([['p', 20 * 2 ** 20]]) }]);
  expect(await alone(plans[0])).toMatchObject({ end: { arrival: 3 }, isCut: true });
  expect(await Promise.all(plans.map(together))).toMatchObject([{ end: { arrival: 3 } }, { isCut: true }]);
  expect(asked).toEqual([3, 3]);
});

it('reads large events apart from others, if they are of one token', async () => {
  const asked: (readonly [string, number])[] = [];
  const { sizes, reads, together } = readsOf(['a', 'b', 'large'], ({ read, to }) => {
    asked.push([read.join(), to]);
    return nothing;
  });
  const plans = ['a', 'b', 'large'].map((name) => planOf(name, { wakes: [name] }));
  for (const plan of plans) reads.add(plan, plan.runner);
  const projects = new Map([
    ['large', 20 * 2 ** 20],
    ['a', 1000],
  ]);
  sizes.add(0, 10, [{ source: 'pooler_logs', projects }]);
  await Promise.all(plans.map(together));
  await Promise.all(plans.map(together));
  expect(asked.toSorted()).toEqual([
    ['a,b', 10],
    ['a,b,large', 3],
    ['large', 3],
  ]);
});

it('gives a read that was given up time to end by itself, and does not begin it again before', async () => {
  let end = () => {};
  const graces: unknown[] = [];
  const { timer, runs, alone } = readsOf(['long'], ({ caller }) => {
    graces.push(caller.graceMs);
    return new Promise((resolve) => {
      end = () => resolve(nothing);
    });
  });
  const plan = planOf('long');
  const first = outcomeOf(alone(plan));
  await settled();
  timer.advanceMs(2000);
  await settled();
  expect(first.error).toMatchObject({ code: 'query.timeout' });
  const second = outcomeOf(alone(plan));
  await settled();
  expect(runs).toEqual(['long']);
  end();
  await settled();
  expect(runs).toEqual(['long', 'long']);
  end();
  await settled();
  expect(second.value).toMatchObject({ end: { arrival: 1 }, isCut: true });
  expect(graces).toEqual([30_000, 30_000]);
});

it('reads a tail alone that leaves the others after it was asked for with them', async () => {
  const { reads, timer, runs, together, alone } = readsOf(['a', 'b', 'left'], ({ read }) =>
    read.join() === 'left' && runs.length === 1
      ? null
      : { ...nothing, rows: Buffer.from('{}'), rowKeys: [rowKey(read.length)] },
  );
  const rowKey = (tails: number) => JSON.stringify({ k0: 1, k1: 'p', k2: Array(tails).fill('1').join() });
  const [a, b, left] = [planOf('a'), planOf('b'), planOf('left')] as const;
  for (const plan of [a, b, left]) reads.add(plan, plan.runner);
  const failed = outcomeOf(alone(left));
  await settled();
  const all = [a, b, left].map(together);
  // Its other read fails in the same turn in which all were asked for.
  timer.advanceMs(2000);
  const rows = (await Promise.all(all)).map((read) => read.rows.length);
  expect(failed.error).toMatchObject({ code: 'query.timeout' });
  expect(rows).toEqual([1, 1, 1]);
  expect(runs).toEqual(['left', 'a,b', 'left']);
});

it('names the requests whose tails are read together, while it runs and if it ends the engine', async () => {
  const { observed, running, reads, together } = readsOf(['a', 'b'], ({ caller, read }) => {
    if (read.length === 1) return nothing;
    listed.push(...running.list(null).queries.map(({ requestIds }) => requestIds));
    caller.blamed?.();
    return Promise.reject(new ServiceError('engine.failed', 'ended'));
  });
  const listed: unknown[] = [];
  const plans = [planOf('a'), planOf('b')];
  for (const plan of plans) reads.add(plan, plan.runner);
  await Promise.all(plans.map(together));
  const requestIds = ['request of a', 'request of b'];
  expect(listed).toEqual([requestIds]);
  expect(observed).toMatchObject([
    { kind: 'query.ended_engine', requestIds },
    { kind: 'query.ended', outcome: 'engine.failed', requestIds },
    { kind: 'query.ended', outcome: 'answered' },
    { kind: 'query.ended', outcome: 'answered' },
  ]);
});

it('counts the places of several tokens of one owner as those of the owner', () => {
  const runner = (id: string, placeOwner: string) => ({ id, concurrencyMax: null, placeOwner });
  expect(readOwnerOf(commonRunner([runner('a', 'x'), runner('b', 'x')], 'tails 1'))).toBe('x');
  expect(readOwnerOf(commonRunner([runner('a', 'x'), runner('b', 'y')], 'tails 1'))).toBe('tails 1');
});
