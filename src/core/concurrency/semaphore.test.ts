import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** A task that ends, or fails, when the test says so. */
function held<T>(value: T) {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<T>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve(value) : reject(error));
  });
  return { task: () => ended, end };
}

const turn = () => new Promise(setImmediate);

it('runs no more tasks than it has places, the others in order of arrival, also behind those that fail', async () => {
  const places = new Semaphore(2);
  const begun: number[] = [];
  const tasks = [0, 1, 2, 3, 4].map(held);
  const run = (n: number) =>
    places.run(async () => {
      begun.push(n);
      return await tasks[n]?.task();
    });
  const settled = Promise.allSettled([0, 1, 2, 3].map(run));
  await turn();
  expect(begun).toEqual([0, 1]);
  tasks[1]?.end(new Error('failed'));
  // Arrives while the place of the failed task passes to the third.
  const late = run(4);
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  for (const n of [0, 2, 3, 4]) {
    tasks[n]?.end();
    await turn();
  }
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await late).toBe(4);
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await places.run(async () => 'free again')).toBe('free again');
});

it('gives places to owners in turn, and tells whether too many tasks wait, of one owner or of all', async () => {
  const places = new Semaphore(1);
  const begun: string[] = [];
  const run = (name: string) =>
    places.run(
      async () => {
        begun.push(name);
        await turn();
      },
      { owner: name.slice(0, 1) },
    );
  expect([places.isFull(0), places.isFull(0, 'a')]).toEqual([false, false]);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run);
  expect(['a', 'b', 'c', 'd'].map((owner) => places.isFull(3, owner))).toEqual([true, false, false, false]);
  expect([6, 7].map((waitingMax) => places.isFull(waitingMax))).toEqual([true, false]);
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect([places.isFull(0), places.isFull(0, 'a')]).toEqual([false, false]);
});

it('lets a task leave the queue when it is aborted, and never runs it then', async () => {
  const places = new Semaphore(1);
  const first = held('first');
  const running = places.run(first.task);
  const controller = new AbortController();
  let runs = 0;
  const aborted = places.run(async () => runs++, { signal: controller.signal });
  const last = places.run(async () => 'last');
  controller.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  await expect(places.run(async () => runs++, { signal: controller.signal })).rejects.toThrow('gone');
  expect([places.isFull(1), places.isFull(2)]).toEqual([true, false]);
  first.end();
  expect(await running).toBe('first');
  expect(await last).toBe('last');
  expect(runs).toBe(0);
});

it('lets a task end that has begun, though it is aborted', async () => {
  const places = new Semaphore(1);
  const first = held('first');
  const controller = new AbortController();
  const running = places.run(first.task, { signal: controller.signal });
  await turn();
  controller.abort(new Error('gone'));
  first.end();
  expect(await running).toBe('first');
});

it('gives an owner no more places than it may have, although others are free', async () => {
  const places = new Semaphore(3, 2);
  const begun: string[] = [];
  const tasks = new Map(['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => [name, held(name)]));
  const run = (name: string) =>
    places.run(
      async () => {
        begun.push(name);
        return await tasks.get(name)?.task();
      },
      { owner: name.slice(0, 1) },
    );
  const all = [...tasks.keys()].map(run);
  await turn();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  tasks.get('b1')?.end();
  await turn();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  tasks.get('b2')?.end();
  await turn();
  expect(begun).toHaveLength(4);
  tasks.get('a1')?.end();
  await turn();
  expect(begun.at(-1)).toBe('a3');
  for (const { end } of tasks.values()) end();
  await Promise.all(all);
});
