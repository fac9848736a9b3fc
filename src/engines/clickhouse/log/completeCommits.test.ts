import { expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { CompleteCommits } from './completeCommits.ts';

it('takes no state for recent that was read without the deletions of other nodes', async () => {
  const timer = new ManualTimer();
  let isAway = false;
  let end = 1;
  const commits = new CompleteCommits({
    ledger: { state: async () => ({ end, hidden: [], watermark: end }) },
    timer,
    freshMs: 200,
    staleMs: 10_000,
    followRemovals: async () => {
      if (isAway) throw new Error('no store');
    },
    wentBack: () => undefined,
  });
  await commits.ready();
  isAway = true;
  end = 2;
  timer.advanceMs(9_999);
  await commits.ready();
  expect(commits.state.end).toBe(1);
  timer.advanceMs(1);
  await expect(commits.ready()).rejects.toMatchObject({ code: 'engine.restarting' });
  isAway = false;
  await commits.ready();
  expect(commits.state.end).toBe(2);
});

it('goes on showing what it has shown if the ledger is an older one, and says so', async () => {
  const timer = new ManualTimer();
  let end = 9;
  let wentBack = 0;
  const commits = new CompleteCommits({
    ledger: { state: async () => ({ end, hidden: [], watermark: end }) },
    timer,
    freshMs: 200,
    staleMs: 10_000,
    followRemovals: async () => undefined,
    wentBack: () => {
      wentBack += 1;
    },
  });
  await commits.ready();
  end = 4;
  timer.advanceMs(200);
  await commits.ready();
  expect([commits.state.end, wentBack]).toEqual([9, 1]);
  end = 10;
  timer.advanceMs(200);
  await commits.ready();
  expect([commits.state.end, wentBack]).toEqual([10, 1]);
});
