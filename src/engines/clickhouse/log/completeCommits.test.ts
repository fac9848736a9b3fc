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
