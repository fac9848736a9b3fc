import { expect, test } from 'vitest';
import { FairSemaphore } from './fairSemaphore.ts';

test('no more tasks than places run at one time, in their order, also behind those that fail', async () => {
  const places = new FairSemaphore(2);
  const begun: number[] = [];
  const ends: ((isGood: boolean) => void)[] = [];
  const task = (number: number) => () => {
    begun.push(number);
    return new Promise<number>((resolve, reject) =>
      ends.push((isGood) => (isGood ? resolve(number) : reject(new Error(`task ${number}`)))),
    );
  };
  const settled = Promise.allSettled([0, 1, 2, 3].map((number) => places.run('a', task(number))));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(false);
  // Comes while the place of the failed one goes to the third.
  const late = places.run('a', task(4));
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  for (const end of [0, 2, 3, 4]) {
    ends[end]?.(true);
    await turn();
  }
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await late).toBe(4);
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

test('owners have places by turns, and one that has too many waiting is full', async () => {
  const places = new FairSemaphore(1, 3);
  const begun: string[] = [];
  const run = (name: string) =>
    places.run(name.slice(0, 1), async () => {
      begun.push(name);
      await new Promise((resolve) => setImmediate(resolve));
    });
  expect(places.isFull('a')).toBe(false);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run);
  expect(['a', 'b', 'c', 'd'].map((owner) => places.isFull(owner))).toEqual([true, false, false, false]);
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(places.isFull('a')).toBe(false);
});
