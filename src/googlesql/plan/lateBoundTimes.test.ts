import { describe, expect, it } from 'vitest';
import type { Expr } from '../resolve/tree.ts';
import { BOOL, INT64, TIMESTAMP } from '../types.ts';
import { isLateBound, LateBoundTimes, timesAmong, UnknownTimeError } from './lateBoundTimes.ts';

const literal = (value: bigint | boolean): Expr => ({
  kind: 'literal',
  type: typeof value === 'boolean' ? BOOL : INT64,
  value,
});
const readValue = (expr: Expr) => (expr.kind === 'literal' ? expr.value : undefined);

describe('a late-bound time', () => {
  const times = new LateBoundTimes([1n, 2n]);
  const moving = times.literal(TIMESTAMP, 1);

  it('is told from literals, also inside an INTERVAL', () => {
    const pos = { offset: 0, line: 1, column: 1 };
    const interval: Expr = {
      kind: 'call',
      type: { kind: 'INTERVAL' },
      fn: '$interval',
      args: [moving],
      safe: false,
      pos,
    };
    expect(isLateBound(moving)).toBe(true);
    expect(isLateBound(literal(1n))).toBe(false);
    expect(timesAmong([literal(1n), moving])).toBe(times);
    expect(timesAmong([interval])).toBe(times);
    expect(timesAmong([literal(1n), { kind: 'part', part: 'day' }])).toBeNull();
  });

  it.each<[string, () => unknown]>([
    ['is read', () => moving.value],
    ['is copied', () => ({ ...moving, type: INT64 })],
    ['is written as JSON', () => JSON.stringify({ ...moving })],
  ])('fails where no call is known and it %s', (_, read) => {
    expect(read).toThrow(UnknownTimeError);
  });

  it('has the value of the call within which it is read, and none after', () => {
    expect(times.at([5n, 6n], () => moving.value)).toBe(6n);
    expect(() =>
      times.at([5n, 6n], () => {
        throw new Error('failed meanwhile');
      }),
    ).toThrow('failed meanwhile');
    expect(() => moving.value).toThrow(UnknownTimeError);
  });
});

describe('folding over late-bound times', () => {
  const setUp = () => {
    const times = new LateBoundTimes([10n, 20n]);
    return { times, first: times.literal(TIMESTAMP, 0), second: times.literal(TIMESTAMP, 1) };
  };

  it('holds for calls in which the same is decided', () => {
    const { times, first, second } = setUp();
    const isLess = times.fold(literal(0n), () => literal((readValue(first) as bigint) < (readValue(second) as bigint)));
    expect(readValue(isLess)).toBe(true);
    expect(times.holds([10n, 20n])).toBe(true);
    expect(times.holds([1n, 2n])).toBe(true);
    expect(times.holds([2n, 2n])).toBe(false);
    expect(times.holds([3n, 2n])).toBe(false);
  });

  it('gives a late-bound time if the result is a whole number', () => {
    const { times, first } = setUp();
    const later = times.fold(literal(0n), () => literal((readValue(first) as bigint) + 5n));
    const latest = times.fold(literal(0n), () => literal((readValue(later) as bigint) * 2n));
    expect(() => readValue(latest)).toThrow(UnknownTimeError);
    expect(times.at([100n, 0n], () => [readValue(later), readValue(latest)])).toEqual([105n, 210n]);
  });

  it('is computed once for a call, however often it is read, and takes no stack', () => {
    const { times, first } = setUp();
    let computed = 0;
    let last: Expr = first;
    for (let n = 0; n < 5000; n++) {
      const before = last;
      last = times.fold(literal(0n), () => {
        computed += 1;
        return literal(((readValue(before) as bigint) + (readValue(before) as bigint)) / 2n + 1n);
      });
    }
    expect(computed).toBeLessThan(10_001);
    computed = 0;
    const call = [100n, 0n];
    expect(times.at(call, () => [readValue(last), readValue(last)])).toEqual([5100n, 5100n]);
    expect(times.holds(call)).toBe(true);
    expect(computed).toBe(5000);
  });

  it('does not hold where it becomes something else, or nothing', () => {
    const { times, first, second } = setUp();
    const expr = literal(0n);
    const sum = times.fold(expr, () =>
      (readValue(first) as bigint) > 50n ? expr : literal(readValue(first) as bigint),
    );
    expect(isLateBound(sum as never)).toBe(true);
    expect(times.holds([49n, 0n])).toBe(true);
    expect(times.holds([51n, 0n])).toBe(true);
    expect(times.holds([51n, 0n]) && times.at([51n, 0n], () => readValue(sum))).toBe(0n);
    const chosen = times.fold(expr, () => ((readValue(first) as bigint) < 30n ? first : second));
    expect(chosen).toBe(first);
    expect(times.holds([30n, 0n])).toBe(false);
  });
});
