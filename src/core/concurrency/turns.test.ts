import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pause, Turns } from './turns.ts';

test('continues one piece of work in each turn of the event loop, in order', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = async (name: string, count: number) => {
    for (let n = 0; n < count; n++) {
      await turns.next();
      done.push(name);
    }
  };
  const all = Promise.all([work('a', 3), work('b', 2), work('c', 1)]);
  const seen: number[] = [];
  for (let turn = 0; turn < 8; turn++) {
    await turnOfTheLoop();
    seen.push(done.length);
  }
  await all;
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});

test('the work of an owner does not wait for all work of another', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = async (owner: string | undefined, name: string) => {
    const pause = new Pause(turns, undefined, owner);
    for (let n = 0; n < 2; n++) {
      await pause.take();
      done.push(name);
    }
  };
  const busy = ['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name));
  await Promise.all([...busy, work('b', 'b'), work(undefined, 'c')]);
  expect(done).toEqual(['a1', 'b', 'c', 'a2', 'b', 'c', 'a3', 'a4', 'a1', 'a2', 'a3', 'a4']);
});

test('a turn is over after its time, however little work was counted', async () => {
  let nowMs = 0;
  const pause = new Pause(new Turns(() => nowMs));
  expect(pause.isDue(1e9)).toBe(false);
  nowMs = 100;
  expect(pause.isDue(1)).toBe(false);
  expect(pause.isDue(20_000)).toBe(true);
  await pause.take();
  expect(pause.isDue(1e9)).toBe(false);
});

test('all work that begins in one turn of the event loop shares its time, and the next turn has its own', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const begun: number[] = [];
  const work = Array.from({ length: 20 }, async (_, n) => {
    const pause = new Pause(turns);
    if (pause.isDue(1e9)) await pause.take();
    begun.push(n);
    nowMs += 3;
  });
  expect(begun).toEqual([0, 1]);
  await turnOfTheLoop();
  await turnOfTheLoop();
  expect(begun.length).toBeLessThanOrEqual(4);
  await Promise.all(work);
  expect(begun).toEqual(work.map((_, n) => n));
  await turnOfTheLoop();
  expect(new Pause(turns).isDue(1e9)).toBe(false);
});

test('work ends at its next turn once its signal is aborted, with the reason of the signal', async () => {
  const abort = new AbortController();
  const pause = new Pause(new Turns(), abort.signal);
  await pause.take();
  const waiting = pause.take();
  abort.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  await expect(pause.take()).rejects.toThrow('left');
});
