import { describe, expect, it } from 'vitest';
import { StageTimes } from './stageTimes.ts';

describe('StageTimes', () => {
  it('writes every stage in order, also one that failed', async () => {
    let nowMs = 0;
    const times = new StageTimes(() => nowMs);
    times.time('bind', () => {
      nowMs += 0.1234;
    });
    const failing = times.timeAsync('run', async () => {
      nowMs += 7.4;
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(times.toHeader()).toBe('bind;dur=0.123, run;dur=7.4');
  });

  it('adds up the waits for a turn in all stages', async () => {
    let nowMs = 0;
    const times = new StageTimes(() => nowMs);
    times.waitedForTurn(2);
    times.time('bind', () => {
      nowMs += 5;
      times.waitedForTurn(1.5);
    });
    expect(times.toHeader()).toBe('bind;dur=5, turns;dur=3.5');
    expect(times.byStage()).toEqual({ bind: 5, turns: 3.5 });
  });
});
