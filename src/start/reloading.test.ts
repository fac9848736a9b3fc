import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { Reloading } from './reloading.ts';

/** Loads that end when the test says so. */
function startLoads() {
  const timer = new ManualTimer();
  const ends: ((error?: Error) => void)[] = [];
  const failures: unknown[] = [];
  const load = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  const reloading = new Reloading(load, timer, (cause) => failures.push(cause));
  return { timer, ends, failures, reloading };
}

it('loads once more for all requests that come during a load, and not at the same time', async () => {
  const { ends, reloading } = startLoads();
  for (let n = 0; n < 3; n++) reloading.request();
  expect(ends).toHaveLength(1);
  for (let n = 0; n < 3; n++) reloading.request();
  ends[0]?.();
  await turn();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await turn();
  expect(ends).toHaveLength(2);
  reloading.request();
  expect(ends).toHaveLength(3);
});

it('reports a failure and loads again a second later', async () => {
  const { timer, ends, failures, reloading } = startLoads();
  reloading.request();
  const failure = new Error('no store');
  ends[0]?.(failure);
  await turn();
  expect([failures, ends.length]).toEqual([[failure], 1]);
  timer.advanceMs(1000);
  expect(ends).toHaveLength(2);
});

it('tells who asks for a load now whether it succeeded', async () => {
  const { ends, reloading } = startLoads();
  const failed = reloading.now();
  ends[0]?.(new Error('no store'));
  await expect(failed).rejects.toThrow('no store');
  const loaded = reloading.now();
  ends[1]?.();
  await expect(loaded).resolves.toBeUndefined();
});

it('has everybody who asks wait for a load that begins afterwards, however shortly before another one ended', async () => {
  for (let steps = 0; steps < 10; steps++) {
    const { ends, reloading } = startLoads();
    reloading.request();
    ends[0]?.();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    let isLoaded = false;
    const loaded = reloading.now().then(() => {
      isLoaded = true;
    });
    await turn();
    expect([ends.length, isLoaded]).toEqual([2, false]);
    ends[1]?.();
    await loaded;
  }
});

it('waits for a load when it is closed, and loads no more', async () => {
  const { timer, ends, failures, reloading } = startLoads();
  reloading.request();
  reloading.request();
  let isClosed = false;
  const closing = reloading.close().then(() => {
    isClosed = true;
  });
  await turn();
  expect(isClosed).toBe(false);
  ends[0]?.(new Error('too late'));
  await closing;
  reloading.request();
  timer.advanceMs(1000);
  expect([ends.length, failures]).toEqual([1, []]);
});
