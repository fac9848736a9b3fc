import { expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { MemoryWait } from './memoryWait.ts';

const never = new AbortController().signal;
const pauseMs = 80;
const leastMs = 10;

function started(ends: readonly Promise<void>[], signal = never) {
  const timer = new ManualTimer();
  const memory = new MemoryWait(pauseMs, signal, timer);
  let isOver = false;
  const wait = memory.untilOneEnds(ends).finally(() => {
    isOver = true;
  });
  const advance = async (ms: number) => {
    timer.advanceMs(ms);
    await new Promise(setImmediate);
  };
  return { timer, memory, wait, advance, isOver: () => isOver };
}

it('is over as soon as another call has ended', async () => {
  let end = () => {};
  const { wait, advance, isOver, timer } = started([new Promise<void>((resolve) => (end = resolve))]);
  await advance(leastMs);
  await advance(30);
  expect(isOver()).toBe(false);
  end();
  await wait;
  expect(timer.pendingCount).toBe(0);
});

it('takes a while even if calls end all the time, and the pause if none ends', async () => {
  const busy = started([Promise.resolve()]);
  await busy.advance(leastMs - 1);
  expect(busy.isOver()).toBe(false);
  await busy.advance(1);
  await busy.wait;
  const quiet = started([]);
  await quiet.advance(leastMs);
  await quiet.advance(pauseMs - leastMs - 1);
  expect(quiet.isOver()).toBe(false);
  await quiet.advance(1);
  await quiet.wait;
});

it('comes to an end, however often calls end', async () => {
  const timer = new ManualTimer();
  const memory = new MemoryWait(pauseMs, never, timer);
  let waits = 0;
  for (; memory.isLeft; waits++) {
    const wait = memory.untilOneEnds([Promise.resolve()]);
    timer.advanceMs(leastMs);
    await wait;
  }
  expect(waits).toBe((49 * pauseMs) / leastMs);
});

it('is over if the caller leaves', async () => {
  const leaving = new AbortController();
  const { wait } = started([], leaving.signal);
  const refused = expect(wait).rejects.toThrow('left');
  leaving.abort(new Error('left'));
  await refused;
});
