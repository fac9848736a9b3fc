import { expect, it } from 'vitest';
import { cachePurgeContract } from '../ports/cachePurge.contract.ts';
import type { Run } from './cacheEntry.ts';
import { cachedNode, openCache, resultOf } from './openCache.fixture.ts';

cachePurgeContract('One cache', () => {
  const { cache, answer } = cachedNode();
  const node = { purge: cache, answer };
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

it('answers nothing from the cache, and keeps nothing, while it may have missed a purge', async () => {
  let isCurrent = true;
  const { cache, answer, runOf } = openCache(() => isCurrent);
  await answer('a', runOf('before'));
  isCurrent = false;
  for (const text of ['first', 'second']) {
    const { run, outcome } = await answer('a', runOf(text));
    expect([Buffer.from(run.result.rows).toString(), outcome]).toEqual([text, 'miss']);
  }
  // What was cached meanwhile is dropped by whoever makes the cache current again.
  cache.dropAll();
  isCurrent = true;
  expect((await answer('a', runOf('after'))).outcome).toBe('miss');
});
