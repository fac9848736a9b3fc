import { afterEach, expect, it, vi } from 'vitest';
import { isDoneWithin } from './isDoneWithin.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('says whether the work was done before the deadline, and leaves no timer', async () => {
  vi.useFakeTimers();
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const late = isDoneWithin(100, work);
  vi.advanceTimersByTime(100);
  expect(await late).toBe(false);
  const inTime = isDoneWithin(100, work);
  vi.advanceTimersByTime(99);
  end();
  expect(await inTime).toBe(true);
  await expect(isDoneWithin(100, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});
