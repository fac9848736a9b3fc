import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { ManualTimer } from '../core/timer.ts';
import { RightsWatch } from './rightsWatch.ts';

const revoked = new ServiceError('auth.invalid', 'The token is not valid.');

function setUp() {
  const timer = new ManualTimer();
  const ended: ServiceError[] = [];
  let checks = 0;
  let answer: () => Promise<void> = async () => {};
  const watch = new RightsWatch(
    () => {
      checks++;
      return answer();
    },
    timer,
    (reason) => ended.push(reason),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    timer.advanceMs(ms);
    await settle();
  };
  return {
    ...{ timer, watch, ended, pass, settle },
    checks: () => checks,
    answerWith: (given: typeof answer) => {
      answer = given;
    },
  };
}

describe('a watch of rights', () => {
  it('checks every half second by itself, and says once that they ended', async () => {
    const { watch, ended, pass, checks, answerWith, timer } = setUp();
    await pass(499);
    expect(checks()).toBe(0);
    await pass(1);
    await pass(500);
    expect(checks()).toBe(2);
    answerWith(() => Promise.reject(revoked));
    await pass(500);
    await pass(5000);
    expect([checks(), ended, timer.pendingCount]).toEqual([3, [revoked], 0]);
    expect(() => watch.throwIfEnded()).toThrow(revoked);
    await expect(watch.require()).rejects.toBe(revoked);
  });

  it('checks before rows if the last check is too old, together with a check that is under way', async () => {
    const { watch, pass, checks, answerWith, settle } = setUp();
    let give = () => {};
    answerWith(() => new Promise((resolve) => (give = resolve)));
    await watch.require();
    expect(checks()).toBe(0);
    await pass(500);
    let isAllowed = false;
    const allowed = watch.require().then(() => {
      isAllowed = true;
    });
    await settle();
    expect([checks(), isAllowed]).toEqual([1, false]);
    give();
    await allowed;
    await watch.require();
    expect(checks()).toBe(1);
  });

  it('does nothing once it is stopped', async () => {
    const { watch, ended, pass, checks, answerWith, timer } = setUp();
    answerWith(() => Promise.reject(revoked));
    timer.advanceMs(500);
    watch.stop();
    await pass(5000);
    expect([checks(), ended, timer.pendingCount]).toEqual([1, [], 0]);
  });
});
