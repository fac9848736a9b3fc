import { beforeEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../core/timer.ts';
import { sharedSubjects } from '../../ports/changeFeed.ts';
import { FollowedGenerations, type StoredCount } from './followedGenerations.ts';

let timer: ManualTimer;
let counts: Map<string, number>;
/** What the marks of the counts begin with: another one for each history of the store. */
let history: string;
let answer: () => Promise<ReadonlyMap<string, StoredCount>>;
let reads: number;
let told: string[];
let followed: FollowedGenerations;

const stored = async () =>
  new Map([...counts].map(([name, generation]) => [name, { generation, mark: `${history}${generation}` }] as const));

beforeEach(async () => {
  timer = new ManualTimer();
  counts = new Map([['tokens', 3]]);
  history = 'a';
  answer = stored;
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
    stillLost: (awayMs) => told.push(`still lost after ${awayMs} ms`),
    wentBack: () => told.push('went back'),
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
  counts.set('tokens', 6);
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
  answer = stored;
  await pass(600);
  expect(await followed.read('tokens')).toBe(9);
  expect(followed.contact).toMatchObject({ isAway: false, isTooOld: false });
  expect(told).toEqual(['lost', 'recovered after 60000 ms']);
});

it('reports a store that stays away once a minute, though it is tried twice a second', async () => {
  answer = away;
  await pass(125_000);
  expect(told).toEqual(['lost', 'still lost after 60000 ms', 'still lost after 120000 ms']);
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

describe('an older copy of the store that was restored', () => {
  let seen: string[];
  beforeEach(() => {
    seen = [];
    for (const subject of sharedSubjects) followed.onChange(subject, () => seen.push(subject));
  });

  it('makes every count higher than all before, also after further changes', async () => {
    followed.notified('tokens 7 a7');
    const before = await followed.read();
    seen.length = 0;
    counts.set('tokens', 5);
    await pass(500);
    const after = await followed.read();
    expect(told).toEqual(['went back']);
    expect(seen).toEqual([...sharedSubjects]);
    for (const subject of sharedSubjects) expect(after[subject]).toBeGreaterThan(before[subject]);
    // Such as the revocation of a token, with the count that an earlier change had.
    followed.notified('tokens 6 b6');
    expect(await followed.read('tokens')).toBe(after.tokens + 1);
    expect(seen.slice(sharedSubjects.length)).toEqual(['tokens']);
  });

  it('is noticed although other changes have brought its counts to the known ones', async () => {
    history = 'b';
    await pass(500);
    expect([told, followed.interruptions]).toEqual([['went back'], 1]);
    expect(await followed.read('tokens')).toBeGreaterThan(3);
    await pass(1_000);
    expect(told).toEqual(['went back']);
  });

  it('is noticed at once when a notification tells of another change with the known count', async () => {
    history = 'b';
    followed.notified('tokens 3 b3');
    await settled();
    expect(told).toEqual(['went back']);
  });

  it('is not taken for one if a read has overlapped with a notification', async () => {
    let finish: (counts: ReadonlyMap<string, StoredCount>) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    await pass(500);
    followed.notified('tokens 4 a4');
    finish(await stored());
    await settled();
    expect([told, await followed.read('tokens')]).toEqual([[], 4]);
  });

  it('may lack a change of this node that was made just before the store went away', async () => {
    followed.made('tokens', 4);
    counts.set('tokens', 4);
    await pass(500);
    expect(told).toEqual([]);
    followed.made('tokens', 5);
    answer = away;
    await pass(500);
    counts.set('tokens', 5);
    answer = stored;
    await pass(500);
    expect(told).toEqual(['lost', 'went back', 'recovered after 500 ms']);
  });
});
