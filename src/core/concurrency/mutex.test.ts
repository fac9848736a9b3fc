import { expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

/** A task that ends when it is told to. */
function held() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { task: async () => await ended, end };
}

it('runs tasks in the order in which they came, also after one that failed', async () => {
  const lane = new Mutex();
  const order: number[] = [];
  const first = lane.run(async () => {
    order.push(1);
    throw new Error('failed');
  });
  const second = lane.run(async () => order.push(2));
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual([1, 2]);
});

it('gives up a task whose turn does not come, and never runs it then', async () => {
  const lane = new Mutex();
  const long = held();
  const running = lane.run(long.task);
  const patience = new AbortController();
  let runs = 0;
  const waiting = lane.run(async () => runs++, patience.signal);
  patience.abort(new Error('too long'));
  await expect(waiting).rejects.toThrow('too long');
  long.end();
  await running;
  await lane.run(async () => undefined);
  expect(runs).toBe(0);
});

it('lets a task end that has begun', async () => {
  const lane = new Mutex();
  const long = held();
  const patience = new AbortController();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const running = lane.run(async () => {
    begin();
    await long.task();
    return 'done';
  }, patience.signal);
  await begun;
  patience.abort(new Error('too long'));
  long.end();
  expect(await running).toBe('done');
});
