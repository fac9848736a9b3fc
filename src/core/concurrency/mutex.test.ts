import { expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

it('runs one task at a time, in order of arrival, also after one that failed', async () => {
  const mutex = new Mutex();
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    if (name === 'first') throw new Error('failed');
  };
  const first = mutex.run(task('first'));
  const others = Promise.all([mutex.run(task('second')), mutex.run(task('third'))]);
  await expect(first).rejects.toThrow('failed');
  await others;
  expect(order).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});
