import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pause, Turns } from './turns.ts';

test('continues as much waiting work in a turn of the event loop as has time in it, in order', async () => {
  const inTurnsOfLoop = async (pieceMs: number) => {
    let nowMs = 0;
    const turns = new Turns(() => nowMs);
    const done: string[] = [];
    const work = async (name: string, count: number) => {
      for (let n = 0; n < count; n++) {
        await turns.next();
        done.push(name);
        nowMs += pieceMs;
      }
    };
    const all = Promise.all([work('a', 3), work('b', 2), work('c', 1)]);
    const counts: number[] = [];
    while (done.length < 6) {
      const before = done.length;
      await turnOfTheLoop();
      counts.push(done.length - before);
    }
    await all;
    expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    return counts.filter((count) => count > 0);
  };
  expect(await inTurnsOfLoop(2)).toEqual([3, 3]);
  expect(await inTurnsOfLoop(6)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('tells an owner how long it waited for its turn', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const waited: number[] = [];
  const own = turns.of('a', (ms) => waited.push(ms));
  const waiting = own.next();
  nowMs += 3;
  await waiting;
  expect(waited).toEqual([3]);
});

test('the work of an owner does not wait for all work of another', async () => {
  // Every piece takes the same time.
  const turns = new Turns(() => 0);
  const done: string[] = [];
  const work = async (owner: string, name: string) => {
    const pause = new Pause(turns.of(owner));
    for (let n = 0; n < 2; n++) {
      await pause.take();
      done.push(name);
    }
  };
  const busy = ['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name));
  await Promise.all([...busy, work('b', 'b'), work('', 'c')]);
  expect(done).toEqual(['a1', 'b', 'c', 'a2', 'b', 'c', 'a3', 'a4', 'a1', 'a2', 'a3', 'a4']);
});

test('the next piece is that of the owner whose work took least time', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const done: string[] = [];
  const work = async (owner: string, pieceMs: number, pieces: number) => {
    const pause = new Pause(turns.of(owner));
    for (let n = 0; n < pieces; n++) {
      await pause.take();
      done.push(owner);
      nowMs += pieceMs;
    }
  };
  const heavy = ['a', 'b', 'c'].map((owner) => work(owner, 20, 4));
  await turnOfTheLoop();
  await Promise.all([work('light', 1, 3), ...heavy]);
  // Behind the pieces that waited before it, and then no large one comes between its own.
  expect(done.join(' ')).toContain('light light light');
  expect(done.indexOf('light')).toBeLessThanOrEqual(3);
});

test('a piece during which the process stood still does not hold its owner back for long', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const done: string[] = [];
  const work = async (owner: string, pieces: readonly number[]) => {
    const pause = new Pause(turns.of(owner));
    for (const pieceMs of pieces) {
      await pause.take();
      done.push(owner);
      nowMs += pieceMs;
    }
  };
  const busy = ['a', 'b', 'c'].map((owner) => work(owner, new Array<number>(100).fill(3)));
  await work('light', [500, 1, 1]);
  expect(done.filter((owner) => owner !== 'light').length).toBeLessThan(15);
  await Promise.all(busy);
});

test('an owner does not wait for ever new ones', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  let old = 0;
  let fresh = 0;
  const isOver = () => old === 10 || fresh === 1000;
  // The next one waits before this one has ended.
  const newOwner = async (n: number): Promise<void> => {
    await turns.of(`new ${n}`).next();
    fresh++;
    nowMs += 5;
    if (!isOver()) await newOwner(n + 1);
  };
  const oldOwner = async () => {
    const pause = new Pause(turns.of('old'));
    while (!isOver()) {
      await pause.take();
      old++;
      nowMs += 5;
    }
  };
  await Promise.all([oldOwner(), newOwner(0)]);
  expect({ old, fresh }).toEqual({ old: 10, fresh: expect.toSatisfy((count: number) => count <= 25) });
});

test('an owner whose pieces are longer than a turn gets no more time than others', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const tookMs = { long: 0, short: 0 };
  const work = async (owner: keyof typeof tookMs, pieceMs: number) => {
    const pause = new Pause(turns.of(owner));
    while (nowMs < 3000) {
      await pause.take();
      tookMs[owner] += pieceMs;
      nowMs += pieceMs;
    }
  };
  await Promise.all([work('long', 50), work('short', 2)]);
  expect(tookMs.long / tookMs.short).toBeLessThan(1.2);
});

test('waiting work lets other work that used up a turn of the event loop go first, but only once', async () => {
  let nowMs = 0;
  const turns = new Turns(() => nowMs);
  const pieces: number[] = [];
  const waiting = (async () => {
    const pause = new Pause(turns);
    for (let n = 0; n < 3; n++) {
      await pause.take();
      pieces.push(n);
      nowMs += 6;
    }
  })();
  const seen: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    // Something else begins in each turn, and takes longer than its time.
    turns.endMs();
    nowMs += 20;
    await turnOfTheLoop();
    seen.push(pieces.length);
  }
  await waiting;
  expect(seen).toEqual([0, 1, 1, 2, 2, 3]);
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
