import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import type { Generations } from './changeFeed.ts';
import { ChangeFollower } from './changeFollower.ts';

const none: Generations = { endpoints: 0, tokens: 0, sources: 0, retention: 0, deletions: 0 };

function open() {
  let generations = none;
  let fails = 0;
  const loaded: string[] = [];
  const failures: unknown[] = [];
  const timer = new ManualTimer();
  const reloadOf = (subject: string) => async () => {
    if (fails-- > 0) throw new Error(`no ${subject}`);
    loaded.push(subject);
  };
  const follower = new ChangeFollower(
    {
      feed: { read: async () => generations },
      timer,
      reload: { sources: reloadOf('sources'), retention: reloadOf('retention') },
      failed: (cause) => failures.push(cause),
    },
    none,
  );
  return {
    follower,
    timer,
    loaded,
    failures,
    change: (changed: Partial<Generations>) => {
      generations = { ...generations, ...changed };
    },
    failNext: (count: number) => {
      fails = count;
    },
  };
}

it('loads what changed, once, and nothing else', async () => {
  const { follower, loaded, change } = open();
  await follower.now();
  change({ sources: 1, tokens: 1 });
  for (let n = 0; n < 2; n++) await follower.now();
  expect(loaded).toEqual(['sources']);
});

it('looks for changes by itself, at least three times a second', async () => {
  const { follower, timer, loaded, change } = open();
  follower.start();
  for (const generation of [1, 2]) {
    change({ retention: generation });
    timer.advanceMs(333);
    await expect.poll(() => loaded).toHaveLength(generation);
    await expect.poll(() => timer.pendingCount).toBe(1);
  }
  await follower.close();
  expect(timer.pendingCount).toBe(0);
});

it('includes a change that was made while it looked', async () => {
  const { follower, loaded, change } = open();
  const first = follower.now();
  change({ sources: 1 });
  await Promise.all([first, follower.now()]);
  expect(loaded).toContain('sources');
});

it('repeats a load that failed, and reports the first failure of several', async () => {
  const { follower, loaded, failures, change, failNext } = open();
  change({ sources: 1, retention: 1 });
  failNext(2);
  for (let n = 0; n < 2; n++) await follower.now();
  expect([loaded, failures.length]).toEqual([[], 1]);
  await follower.now();
  expect(loaded).toEqual(['sources', 'retention']);
});
