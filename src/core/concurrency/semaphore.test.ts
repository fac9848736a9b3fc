import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

const never = new AbortController().signal;

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('runs no more than its places at a time, the others in the order in which they came', async () => {
  const slots = new Semaphore(2, 10, () => new Error('full'));
  const order: number[] = [];
  let running = 0;
  const work = async (n: number) =>
    await slots.use(never, async () => {
      running++;
      expect(running).toBeLessThanOrEqual(2);
      order.push(n);
      await new Promise(setImmediate);
      running--;
    });
  await Promise.all([1, 2, 3, 4, 5].map(work));
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

it('refuses what finds the queue full, and gives a place back that failed', async () => {
  const slots = new Semaphore(1, 1, () => new Error('full'));
  const first = gate();
  const running = slots.use(never, async () => {
    await first.opened;
    throw new Error('failed');
  });
  const waiting = slots.use(never, async () => 'second');
  await expect(slots.use(never, async () => 'third')).rejects.toThrow('full');
  first.open();
  await expect(running).rejects.toThrow('failed');
  expect(await waiting).toBe('second');
  expect(await slots.use(never, async () => 'fourth')).toBe('fourth');
});

it('lets one that is aborted in the queue go, without taking its place', async () => {
  const slots = new Semaphore(1, 2, () => new Error('full'));
  const first = gate();
  const running = slots.use(never, async () => await first.opened);
  const controller = new AbortController();
  const aborted = slots.use(controller.signal, async () => 'aborted');
  const last = slots.use(never, async () => 'last');
  controller.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  first.open();
  await running;
  expect(await last).toBe('last');
});
