import { beforeEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { ServerWatch } from './serverWatch.ts';

/** Lets promises that are settled run on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a watched server', () => {
  let timer: ManualTimer;
  let pings: number;
  let answer: 'at once' | 'refused' | 'never';
  let watch: ServerWatch;
  let lost: string[];
  beforeEach(() => {
    timer = new ManualTimer();
    [pings, answer, lost] = [0, 'at once', []];
    watch = new ServerWatch(async (signal) => {
      pings += 1;
      if (answer === 'refused') throw new Error('no server');
      if (answer === 'at once') return;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))));
    }, timer);
  });
  const request = (name: string) => watch.during(({ kind }) => void lost.push(`${name} ${kind}`));
  const pass = async (ms: number) => {
    timer.advanceMs(ms);
    await settled();
  };

  it('is not asked while no request waits for it', async () => {
    request('a')();
    await pass(10_000);
    expect([pings, timer.pendingCount]).toEqual([0, 0]);
  });

  it('keeps requests of any length while it answers, and is asked again', async () => {
    request('a');
    for (let n = 0; n < 5; n++) await pass(2_000);
    expect([pings, lost]).toEqual([5, []]);
  });

  it.each([
    ['refused', 0],
    ['never', 10_000],
  ] as const)('loses its requests if it does not answer (%s), and not those that began meanwhile', async (how, ms) => {
    answer = how;
    request('a');
    const end = request('b');
    timer.advanceMs(2_000);
    request('later');
    end();
    await pass(ms);
    expect(lost).toEqual(['a unreachable']);
    answer = 'at once';
    await pass(2_000);
    expect(lost).toEqual(['a unreachable']);
  });
});
