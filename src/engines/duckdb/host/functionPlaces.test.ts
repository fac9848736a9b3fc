import { beforeEach, expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { FunctionPlaces } from './functionPlaces.ts';

let timer: ManualTimer;
let places: FunctionPlaces;
/** `<name> <place>` of each begin, `<name> yields`, in order. */
let seen: string[];
/** The places whose process is there. */
let ready: readonly number[];
/** Processor time of each place's process, milliseconds; null if unknown. */
let worked: number[] | null;

beforeEach(() => {
  timer = new ManualTimer();
  seen = [];
  ready = [0, 1];
  worked = null;
  places = new FunctionPlaces({
    count: 2,
    isReady: (place) => ready.includes(place),
    processorMs: (place) => worked?.[place] ?? null,
    waitingMax: 10,
    waitingMaxByOwner: 4,
    waitMsMax: 10_000,
    timer,
    onOverload: (seconds) => new Error(`overloaded for ${seconds} s`),
  });
});

const never = new AbortController().signal;
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

/** A statement that ends when `end` is called, or at once if it must yield. */
function begin(name: string, tenant: string = name, owner: string = tenant, signal = never, waitsForProcess = false) {
  let end = () => {};
  const done = places.use({ tenant, owner }, signal, async (place, given, begins) => {
    if (!waitsForProcess) begins();
    seen.push(`${name} ${place}`);
    given.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      end = resolve;
      given.addEventListener('abort', () => {
        seen.push(`${name} yields`);
        reject(given.reason);
      });
    });
  });
  done.catch(() => undefined);
  return { done, end: () => end() };
}

it('has the younger of two long statements yield to one that is not known to be long, and runs it again after the older', async () => {
  const first = begin('first');
  await settled();
  timer.advanceMs(100);
  const second = begin('second');
  await settled();
  timer.advanceMs(1_000);
  const light = begin('light');
  await settled();
  expect(seen).toEqual(['first 0', 'second 1', 'second yields', 'light 1']);
  light.end();
  await light.done;
  const lighter = begin('lighter');
  await settled();
  expect(seen.slice(4)).toEqual(['lighter 1']);
  timer.advanceMs(200);
  first.end();
  await settled();
  expect(seen.slice(5)).toEqual(['second 0']);
  second.end();
  lighter.end();
  await Promise.all([first.done, second.done, lighter.done]);
});

it('has a statement yield after 0.3 s, then after 0.6 s, not before, and only to one that waits', async () => {
  begin('first');
  begin('second');
  begin('third');
  await settled();
  timer.advanceMs(299);
  await settled();
  expect(seen).toEqual(['first 0', 'second 1']);
  timer.advanceMs(1);
  await settled();
  expect(seen.slice(2)).toEqual(['second yields', 'third 1']);
  timer.advanceMs(300);
  await settled();
  expect(seen.slice(4)).toEqual(['third yields', 'second 1']);
  timer.advanceMs(599);
  await settled();
  expect(seen).toHaveLength(6);
  timer.advanceMs(1);
  await settled();
  expect(seen.slice(6)).toEqual(['second yields', 'third 1']);
  timer.advanceMs(5_000);
  await settled();
  expect(seen).toHaveLength(8);
});

it('has a statement that was repeated come to its end, also beside one that began before it', async () => {
  const first = begin('first');
  begin('second');
  const older = begin('older');
  await settled();
  timer.advanceMs(300);
  await settled();
  expect(seen.slice(2)).toEqual(['second yields', 'older 1']);
  timer.advanceMs(100);
  first.end();
  await first.done;
  begin('light');
  await settled();
  expect(seen.slice(4)).toEqual(['second 0']);
  timer.advanceMs(1_000);
  await settled();
  expect(seen.slice(5)).toEqual(['second yields', 'light 0']);
  older.end();
  await older.done;
  begin('lighter');
  await settled();
  expect(seen.slice(7)).toEqual(['second 1']);
  timer.advanceMs(1_000);
  await settled();
  expect(seen.slice(8)).toEqual(['light yields', 'lighter 0']);
});

it('takes the next statement of a tenant for long where its last one was, for ten seconds', async () => {
  const greedy = begin('greedy');
  const other = begin('other');
  await settled();
  timer.advanceMs(600);
  greedy.end();
  other.end();
  await Promise.all([greedy.done, other.done]);
  const [again, waits] = [begin('greedy'), begin('other')];
  await settled();
  expect(seen.slice(2)).toEqual(['greedy 0']);
  const light = begin('light');
  await settled();
  expect(seen.slice(3)).toEqual(['light 1']);
  again.end();
  light.end();
  await Promise.all([again.done, light.done]);
  await settled();
  expect(seen.slice(4)).toEqual(['other 0']);
  waits.end();
  await waits.done;
  timer.advanceMs(10_000);
  begin('greedy');
  begin('other');
  await settled();
  expect(seen.slice(5)).toEqual(['greedy 0', 'other 1']);
});

it('gives a tenant one place, and turns to owners before their tenants', async () => {
  const one = begin('a1', 'a', 'owner');
  begin('a2', 'a', 'owner');
  const two = begin('b1', 'b', 'owner');
  begin('c1', 'c', 'owner');
  begin('light');
  await settled();
  expect(seen).toEqual(['a1 0', 'b1 1']);
  two.end();
  await settled();
  expect(seen.slice(2)).toEqual(['light 1']);
  one.end();
  await settled();
  expect(seen.slice(3)).toEqual(['c1 0']);
});

it('refuses an owner that waits with too many, and whoever waits too long, and nobody else', async () => {
  begin('x');
  begin('y');
  const waiting = [0, 1, 2, 3].map((n) => begin(`a${n}`, `a${n}`, 'a'));
  await expect(begin('a4', 'a4', 'a').done).rejects.toThrow('overloaded');
  const light = begin('light');
  await settled();
  timer.advanceMs(299);
  const gone = new AbortController();
  const left = begin('left', 'left', 'left', gone.signal);
  gone.abort(new Error('left'));
  await expect(left.done).rejects.toThrow('left');
  timer.advanceMs(10_000);
  await expect(waiting[3]?.done).rejects.toThrow('overloaded');
  light.end();
});

it('takes no statement for long that waited for its process', async () => {
  const first = begin('first');
  const waits = begin('waits', 'waits', 'waits', never, true);
  await settled();
  timer.advanceMs(5_000);
  begin('other');
  await settled();
  expect(seen).toEqual(['first 0', 'waits 1']);
  waits.end();
  first.end();
  await Promise.all([first.done, waits.done]);
  begin('waits');
  await settled();
  expect(seen.slice(2)).toEqual(['other 1', 'waits 0']);
});

it('gives the place whose process is there before one whose process must first be started', async () => {
  ready = [1];
  const first = begin('first');
  await settled();
  const second = begin('second');
  await settled();
  first.end();
  second.end();
  await Promise.all([first.done, second.done]);
  ready = [];
  begin('third').end();
  await settled();
  expect(seen).toEqual(['first 1', 'second 0', 'third 0']);
});

it('takes no statement for long that waited for a processor, and has none yield before it worked 0.3 s', async () => {
  worked = [1_000, 1_000];
  const first = begin('first');
  const slow = begin('slow');
  begin('waits');
  await settled();
  worked = [1_100, 1_200];
  timer.advanceMs(800);
  await settled();
  expect(seen).toEqual(['first 0', 'slow 1']);
  worked = [1_200, 1_299];
  timer.advanceMs(800);
  await settled();
  expect(seen).toHaveLength(2);
  worked = [1_200, 1_300];
  timer.advanceMs(1);
  await settled();
  expect(seen.slice(2)).toEqual(['slow yields', 'waits 1']);
  first.end();
  await first.done;
  await settled();
  expect(seen.slice(4)).toEqual(['slow 0']);
  slow.end();
});

it('has a statement yield that waits long for its rows, and does not take it for long', async () => {
  worked = [1_000, 1_000];
  const first = begin('first');
  const second = begin('second');
  const third = begin('third');
  await settled();
  timer.advanceMs(1_799);
  await settled();
  expect(seen).toEqual(['first 0', 'second 1']);
  timer.advanceMs(1);
  await settled();
  expect(seen.slice(2)).toEqual(['second yields', 'third 1']);
  first.end();
  third.end();
  await Promise.all([first.done, third.done]);
  await settled();
  expect(seen.slice(4)).toEqual(['second 0']);
  const fourth = begin('fourth');
  const fifth = begin('fifth');
  await settled();
  timer.advanceMs(1_800);
  await settled();
  // The second attempt of a statement may run twice as long; the oldest never yields.
  expect(seen.slice(5)).toEqual(['fourth 1', 'fourth yields', 'fifth 1']);
  second.end();
  fifth.end();
  await Promise.all([second.done, fifth.done]);
  await settled();
  expect(seen.slice(8)).toEqual(['fourth 0']);
  fourth.end();
});
