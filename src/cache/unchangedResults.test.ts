import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import type { Run } from './cacheEntry.ts';
import { openCache, resultOf } from './openCache.fixture.ts';
import type { ResultCache } from './resultCache.ts';

/** A store whose only value is the number of its commits, read by runs that wait before and after. */
class CountingStore {
  commits = 0;
  isCommitting = false;
  runs = 0;
  readonly #steps: (() => void)[] = [];
  #waiting: (() => void)[] = [];

  settled = async (): Promise<void> => {
    if (this.isCommitting) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  };

  endCommit(): void {
    this.isCommitting = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  stateAt = (): string | null => (this.isCommitting ? null : String(this.commits));

  async run(asOfMicros: number): Promise<Run> {
    this.runs++;
    await this.#turn();
    const value = this.commits;
    await this.#turn();
    return { result: resultOf(String(value)), asOfMicros };
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#steps.push(resolve));
  }

  /** Continues the run that waits longest or, with `isLast`, shortest. */
  async step(isLast = false): Promise<void> {
    const next = isLast ? this.#steps.pop() : this.#steps.shift();
    next?.();
    for (let n = 0; n < 20; n++) await Promise.resolve();
  }

  async finish(): Promise<void> {
    while (this.#steps.length > 0) await this.step();
  }
}

const signal = new AbortController().signal;

function openQuestions(isCurrent?: () => boolean) {
  const store = new CountingStore();
  const timer = new ManualTimer();
  const { cache, clock } = openCache(isCurrent, { timer, settled: store.settled });
  /** The value that a call gets, and how. */
  const call = async ({ key = 'k', mustRun = false, tokenId = 't', by = cache as ResultCache } = {}) => {
    const run = () => store.run(clock.nowMicros());
    const exact = { key, endpointId: 'e', version: 1, tokenId, signal, mustRun, stateAt: store.stateAt, run };
    const unchanged = by.unchanged(exact);
    const { result } = unchanged?.run ?? (await by.runExact(exact));
    return { value: Number(Buffer.from(result.rows)), isUnchanged: unchanged !== undefined };
  };
  const now = async (options: Parameters<typeof call>[0] = {}) => {
    const answer = call(options);
    await store.finish();
    return await answer;
  };
  return { cache, clock, timer, store, call, now };
}

describe('results of questions that are asked again', () => {
  it('are kept from the second time on, given while the state is equal, and kept at once if they were given', async () => {
    const { cache, store, now } = openQuestions();
    await now();
    expect(cache.entryCount).toBe(0);
    expect(await now()).toEqual({ value: 0, isUnchanged: false });
    expect([await now(), await now()].map((each) => each.isUnchanged)).toEqual([true, true]);
    store.commits++;
    expect(await now()).toEqual({ value: 1, isUnchanged: false });
    expect(await now()).toEqual({ value: 1, isUnchanged: true });
    expect(store.runs).toBe(3);
  });

  it('take no memory if the state changes between any two', async () => {
    const { cache, store, now } = openQuestions();
    for (let n = 0; n < 5; n++) {
      await now();
      store.commits++;
    }
    expect(cache.entryCount).toBe(0);
  });

  it('are not given to a caller who demands a run, nor by a node that may have missed a purge', async () => {
    let isCurrent = true;
    const { store, now } = openQuestions(() => isCurrent);
    for (let n = 0; n < 3; n++) await now();
    expect(await now({ mustRun: true })).toEqual({ value: 0, isUnchanged: false });
    isCurrent = false;
    expect(await now()).toEqual({ value: 0, isUnchanged: false });
    expect(store.runs).toBe(4);
  });

  it('are dropped by a purge, a new definition, and a removal of events', async () => {
    const { cache, now } = openQuestions();
    for (const drop of [() => cache.purge('e'), () => cache.keepOnly(new Map([['e', 2]])), () => cache.dropAll()]) {
      for (let n = 0; n < 3; n++) await now();
      expect(cache.entryCount).toBe(1);
      drop();
      expect(cache.entryCount).toBe(0);
      expect((await now()).isUnchanged).toBe(false);
    }
  });

  it('come from one run for all who ask at once after a change, if the answer was given again before', async () => {
    const { store, call, now } = openQuestions();
    const askAtOnce = async () => {
      const before = store.runs;
      const answers = [call(), call({ tokenId: 'u' }), call()];
      await store.finish();
      return { values: (await Promise.all(answers)).map(({ value }) => value), runs: store.runs - before };
    };
    expect(await askAtOnce()).toEqual({ values: [0, 0, 0], runs: 3 });
    expect((await now()).isUnchanged).toBe(true);
    store.commits++;
    expect(await askAtOnce()).toEqual({ values: [1, 1, 1], runs: 1 });
    expect((await now()).isUnchanged).toBe(true);
  });

  it('are kept at once if they were given, although the last one has made room for others since', async () => {
    const { cache, store, now } = openQuestions();
    for (let n = 0; n < 3; n++) await now();
    store.commits++;
    for (let n = 0; n < 2; n++) await now({ key: 'other' });
    expect(cache.entryCount).toBe(1);
    await now();
    expect((await now()).isUnchanged).toBe(true);
  });

  it('wait for a batch that is being stored, if they were given, and are then kept and shared', async () => {
    const { store, call, now } = openQuestions();
    for (let n = 0; n < 3; n++) await now();
    store.isCommitting = true;
    const answers = [call(), call()];
    await store.step();
    expect(store.runs).toBe(2);
    store.commits++;
    store.endCommit();
    await store.step();
    await store.finish();
    expect((await Promise.all(answers)).map(({ value }) => value)).toEqual([1, 1]);
    expect(store.runs).toBe(3);
    expect(await now()).toEqual({ value: 1, isUnchanged: true });
  });

  it('do not wait for long, nor if they were never given, nor if the caller demands a run', async () => {
    const { store, timer, call, now } = openQuestions();
    await now();
    store.isCommitting = true;
    expect(await now()).toEqual({ value: 0, isUnchanged: false });
    store.endCommit();
    for (let n = 0; n < 3; n++) await now();
    store.isCommitting = true;
    expect(await now({ mustRun: true })).toEqual({ value: 0, isUnchanged: false });
    const late = call();
    await store.step();
    const { runs } = store;
    timer.advanceMs(50);
    await store.step();
    await store.finish();
    expect([await late, store.runs]).toEqual([{ value: 0, isUnchanged: false }, runs + 1]);
  });

  it('are those of a moment of the call, whatever is committed while others ask', async () => {
    const move = fc.constantFrom(
      'ask',
      'ask',
      'ask',
      'begin',
      'store',
      'end',
      'late',
      'step',
      'stepLast',
      'finish',
      'drop',
    );
    let given = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 20, maxLength: 60 }), async (moves) => {
        const { cache, store, timer, call } = openQuestions();
        const answers: Promise<void>[] = [];
        let isStored = true;
        for (const each of moves) {
          if (each === 'ask') {
            const least = store.commits;
            answers.push(
              call().then(({ value, isUnchanged }) => {
                expect(value).toBeGreaterThanOrEqual(least);
                expect(value).toBeLessThanOrEqual(store.commits);
                if (isUnchanged) given++;
              }),
            );
            for (let n = 0; n < 20; n++) await Promise.resolve();
          } else if (each === 'begin' && !store.isCommitting) {
            store.isCommitting = true;
            isStored = false;
          } else if (each === 'store' && store.isCommitting && !isStored) {
            store.commits++;
            isStored = true;
          } else if (each === 'end' && isStored) store.endCommit();
          else if (each === 'late') timer.advanceMs(50);
          else if (each === 'step' || each === 'stepLast') await store.step(each === 'stepLast');
          else if (each === 'finish') await store.finish();
          else if (each === 'drop') cache.dropAll();
        }
        store.endCommit();
        for (let n = 0; n < 20; n++) await Promise.resolve();
        await store.finish();
        await Promise.all(answers);
      }),
      { numRuns: 80 },
    );
    expect(given).toBeGreaterThan(5);
  });
});
