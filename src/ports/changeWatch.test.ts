import { describe, expect, it } from 'vitest';
import { ChangeWatch } from './changeWatch.ts';

/** A store that counts how often it is asked. */
class CountingStore {
  current = 1;
  changesSeen = 0;
  asked = 0;

  async generation(): Promise<number> {
    this.asked += 1;
    return this.current;
  }
}

describe('ChangeWatch', () => {
  it('asks again only when half a second has passed', async () => {
    const store = new CountingStore();
    const watch = new ChangeWatch(store);
    expect(await watch.generation(1_000_000)).toBe(1);
    store.current = 2;
    expect(await watch.generation(1_499_999)).toBe(1);
    expect(store.asked).toBe(1);
    expect(await watch.generation(1_500_000)).toBe(2);
  });

  it('asks at once after a change of its own, and after the clock went back', async () => {
    const store = new CountingStore();
    const watch = new ChangeWatch(store);
    await watch.generation(1_000_000);
    store.current = 2;
    store.changesSeen = 1;
    expect(await watch.generation(1_000_000)).toBe(2);
    store.current = 3;
    expect(await watch.generation(999_999)).toBe(3);
  });

  it('returns a known generation exactly if it would not ask the store', async () => {
    const store = new CountingStore();
    const watch = new ChangeWatch(store);
    expect(watch.known(1_000_000)).toBeUndefined();
    await watch.generation(1_000_000);
    store.current = 2;
    expect([999_999, 1_000_000, 1_499_999, 1_500_000].map((now) => watch.known(now))).toEqual([
      undefined,
      1,
      1,
      undefined,
    ]);
    store.changesSeen = 1;
    expect(watch.known(1_000_000)).toBeUndefined();
    expect(store.asked).toBe(1);
  });

  it('rejects after a failure and asks again at the next call', async () => {
    const answers = [() => Promise.reject<number>(new Error('no store')), () => Promise.resolve(1)];
    const watch = new ChangeWatch({
      changesSeen: 0,
      generation: () => answers.shift()?.() ?? Promise.resolve(0),
    });
    await expect(watch.generation(1)).rejects.toThrow('no store');
    expect(await watch.generation(1)).toBe(1);
  });
});
