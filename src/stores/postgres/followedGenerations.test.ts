import { beforeEach, expect, it } from 'vitest';
import { ManualTimer } from '../../core/timer.ts';
import { FollowedGenerations } from './followedGenerations.ts';

let timer: ManualTimer;
let counts: Map<string, number>;
let answer: () => Promise<ReadonlyMap<string, number>>;
let reads: number;
let told: string[];
let followed: FollowedGenerations;

beforeEach(async () => {
  timer = new ManualTimer();
  counts = new Map([['tokens', 3]]);
  answer = async () => new Map(counts);
  reads = 0;
  told = [];
  followed = new FollowedGenerations({
    readAll: async () => {
      reads += 1;
      return await answer();
    },
    timer,
    staleMsMax: 60_000,
    lost: () => told.push('lost'),
    recovered: (awayMs) => told.push(`recovered after ${awayMs} ms`),
  });
  await followed.start();
});

const away = async () => {
  throw new Error('no server');
};
/** Lets promises that are settled run on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    timer.advanceMs(100);
    await settled();
  }
}

it('answers from memory while its last read is young, and reads again after', async () => {
  counts.set('tokens', 4);
  timer.advanceMs(200);
  expect([await followed.read('tokens'), reads]).toEqual([3, 1]);
  timer.advanceMs(1);
  expect([await followed.read('tokens'), reads]).toEqual([4, 2]);
  expect(await followed.read()).toEqual({ endpoints: 0, tokens: 4, sources: 0, retention: 0, deletions: 0 });
});

it('knows a change at once when it is told of it, by a notification or by this node, and never goes back', async () => {
  const seen: string[] = [];
  followed.onChange('tokens', () => seen.push('tokens'));
  followed.notified('tokens 5');
  followed.notified('tokens 4');
  followed.notified('else 9');
  followed.notified('tokens x');
  expect([await followed.read('tokens'), followed.heard('tokens'), seen.length]).toEqual([5, 1, 1]);
  followed.made('tokens', 6);
  expect([await followed.read('tokens'), followed.heard('endpoints')]).toEqual([6, 0]);
  timer.advanceMs(500);
  await settled();
  expect(await followed.read('tokens')).toBe(6);
});

it('notices a change that no notification told of, though no call asks', async () => {
  const seen: string[] = [];
  followed.onChange('sources', () => seen.push('sources'));
  counts.set('sources', 1);
  await pass(500);
  expect(seen).toEqual(['sources']);
});

it('goes on with what it knows while the store is away, until that is too old, and says both', async () => {
  answer = away;
  await pass(59_900);
  expect(await followed.read('tokens')).toBe(3);
  expect(followed.contact).toMatchObject({ isAway: true, isTooOld: false });
  await pass(200);
  await expect(followed.read('tokens')).rejects.toMatchObject({ code: 'service.store_unavailable' });
  expect(followed.contact).toMatchObject({ isAway: true, isTooOld: true });
  expect(told).toEqual(['lost']);
  counts.set('tokens', 9);
  answer = async () => new Map(counts);
  await pass(600);
  expect(await followed.read('tokens')).toBe(9);
  expect(followed.contact).toMatchObject({ isAway: false, isTooOld: false });
  expect(told).toEqual(['lost', 'recovered after 60000 ms']);
});

it('makes no call wait for a store that is known to be away', async () => {
  answer = away;
  await pass(500);
  answer = () => new Promise(() => undefined);
  await pass(500);
  expect(await followed.read('tokens')).toBe(3);
});

it('asks the store once for all calls that ask at the same time', async () => {
  timer.advanceMs(300);
  await Promise.all([followed.read('tokens'), followed.read('endpoints'), followed.read()]);
  expect(reads).toBe(2);
});
