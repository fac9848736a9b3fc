import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { systemTimer } from '../core/timer.ts';
import { cachePurgeContract } from '../ports/cachePurge.contract.ts';
import { MemoryWorkClaims } from '../stores/memory/memoryWorkClaims.ts';
import { anyFreshness } from './freshnessDemand.ts';
import { ResultCache, type Run } from './resultCache.ts';

const resultOf = (text: string): Run['result'] => ({
  rows: Buffer.from(text),
  rowCount: 1,
  hasMore: false,
  cutByBytes: false,
  rowsScanned: null,
  elapsedMs: 1,
});

function openCache() {
  const clock = new ManualClock(1_000_000_000);
  const cache = new ResultCache(
    { bytesMax: 2 ** 20, entriesMax: 100, warmingShare: 0 },
    {
      clock,
      timer: systemTimer,
      randomness: systemRandomness,
      observe: () => undefined,
      lookForChanges: async () => {},
      claims: new MemoryWorkClaims(),
    },
  );
  const answer = (key: string, run: () => Promise<Run>, endpointId = 'e') =>
    cache.answer({
      key,
      endpointId,
      version: 1,
      policy: { cacheSeconds: 60, staleIfErrorSeconds: 60 },
      demand: anyFreshness,
      tokenId: 't',
      signal: new AbortController().signal,
      background: null,
      run,
    });
  const runOf = (text: string) => async () => ({ result: resultOf(text), asOfMicros: clock.nowMicros() });
  return { clock, cache, answer, runOf };
}

cachePurgeContract('One cache', () => {
  const { cache, answer, runOf } = openCache();
  const node = {
    purge: cache,
    answer: async (endpointId: string, fresh: string, hold?: Promise<void>) => {
      const run = async () => {
        await hold;
        return await runOf(fresh)();
      };
      return Buffer.from((await answer(endpointId, run, endpointId)).run.result.rows).toString();
    },
  };
  return { node, elsewhere: node };
});

it('keeps no result that was cached or being computed when all were dropped', async () => {
  const { clock, cache, answer, runOf } = openCache();
  await answer('kept', runOf('before'));
  let finish: (run: Run) => void = () => undefined;
  const slow = answer('slow', () => new Promise((resolve) => (finish = resolve)));
  let told = 0;
  cache.whenAllDropped(() => told++);
  cache.dropAll();
  expect([cache.entryCount, told]).toEqual([0, 1]);
  const joined = answer('slow', runOf('after'));
  finish({ result: resultOf('before'), asOfMicros: clock.nowMicros() });
  // The waiting call gets its result; the later call does not join that run, and the run is not cached.
  expect(Buffer.from((await slow).run.result.rows).toString()).toBe('before');
  expect(Buffer.from((await joined).run.result.rows).toString()).toBe('after');
  for (const key of ['kept', 'slow']) {
    const { outcome, run } = await answer(key, runOf('after'));
    expect([key, Buffer.from(run.result.rows).toString()]).toEqual([key, 'after']);
    expect(outcome).toBe(key === 'slow' ? 'hit' : 'miss');
  }
});
