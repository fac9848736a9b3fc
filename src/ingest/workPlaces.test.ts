import { expect, test } from 'vitest';
import { WorkPlaces } from './workPlaces.ts';

test('no more tasks than places run at one time, in their order, also behind those that fail', async () => {
  const places = new WorkPlaces(2);
  const begun: number[] = [];
  const ends: ((isGood: boolean) => void)[] = [];
  const task = (number: number) => () => {
    begun.push(number);
    return new Promise<number>((resolve, reject) =>
      ends.push((isGood) => (isGood ? resolve(number) : reject(new Error(`task ${number}`)))),
    );
  };
  const settled = Promise.allSettled([0, 1, 2, 3].map((number) => places.run(task(number))));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(false);
  // Comes while the place of the failed one goes to the third.
  const late = places.run(task(4));
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
