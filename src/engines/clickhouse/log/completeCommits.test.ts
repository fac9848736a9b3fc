import { expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import type { ArrivalRange, LedgerState } from '../../../ports/commitLedger.ts';
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

it('asks for the removals of other nodes however often this one stores events', async () => {
  const timer = new ManualTimer();
  let asked = 0;
  const state = { end: 1, hidden: [], watermark: 1 };
  const commits = new CompleteCommits({
    ledger: { state: async () => state },
    timer,
    freshMs: 200,
    staleMs: 10_000,
    followRemovals: async () => {
      asked += 1;
    },
    wentBack: () => undefined,
  });
  await commits.ready();
  for (let n = 0; n < 3; n++) {
    timer.advanceMs(100);
    commits.adopt(state, timer.nowMs());
    await commits.refresh();
    await commits.ready();
  }
  expect(asked).toBe(2);
});

it('never goes back behind a number that it has reached, and tells each settled number once', async () => {
  const timer = new ManualTimer();
  const advanced: ArrivalRange[] = [];
  const answers: ((state: LedgerState) => void)[] = [];
  let wentBack = 0;
  const commits = new CompleteCommits({
    ledger: { state: () => new Promise((resolve) => answers.push(resolve)) },
    timer,
    freshMs: 200,
    staleMs: 10_000,
    followRemovals: async () => undefined,
    wentBack: () => {
      wentBack += 1;
    },
    advanced: (numbers) => void advanced.push(numbers),
  });
  commits.adopt({ end: 5, hidden: [], watermark: 5 }, 0);
  timer.advanceMs(1);
  const first = commits.reach(7);
  timer.advanceMs(1);
  const second = commits.reach(7);
  timer.advanceMs(1);
  answers[0]?.({ end: 9, hidden: [], watermark: 9 });
  expect([await first, commits.settled]).toEqual([true, 8]);
  // It was asked for later, but answered from before.
  answers[1]?.({ end: 9, hidden: [{ first: 5, end: 9 }], watermark: 5 });
  expect([await second, commits.settled, wentBack]).toEqual([true, 8, 0]);
  expect(advanced).toEqual([{ first: 5, end: 9 }]);
});

it('hides nothing again that it has shown, while an earlier commit is open', () => {
  const timer = new ManualTimer();
  const commits = new CompleteCommits({
    ledger: { state: () => Promise.reject(new Error('nothing is read')) },
    timer,
    freshMs: 200,
    staleMs: 10_000,
    followRemovals: async () => undefined,
    wentBack: () => undefined,
  });
  const earlier = { first: 1, end: 5 };
  const own = { first: 5, end: 9 };
  commits.adopt({ end: 9, hidden: [earlier, own], watermark: 1 }, 0);
  expect(commits.shows(own.first)).toBe(false);
  timer.advanceMs(3);
  commits.adopt({ end: 9, hidden: [earlier], watermark: 1 }, 1);
  // Both were asked for at the same time, and this one answered from before.
  commits.adopt({ end: 9, hidden: [earlier, own], watermark: 1 }, 2);
  expect([commits.shows(earlier.first), commits.shows(own.first), commits.shows(9)]).toEqual([false, true, false]);
  // Later commits are hidden all the same.
  commits.adopt({ end: 12, hidden: [earlier, { first: 9, end: 12 }], watermark: 1 }, 2);
  expect([commits.shows(own.first), commits.shows(9)]).toEqual([true, false]);
});
