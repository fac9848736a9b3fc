import { describe, expect, it } from 'vitest';
import { RequestRates } from './requestRates.ts';

const second = 1e6;

describe('RequestRates', () => {
  it('allows a burst of a minute, then the rate', () => {
    const rates = new RequestRates(60);
    const burst = Array.from({ length: 61 }, () => rates.take('a', 0));
    expect(burst.map((each) => each.isAllowed)).toEqual([...Array<boolean>(60).fill(true), false]);
    expect(burst[59]).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 1 });
    expect(rates.take('a', 0.5 * second).isAllowed).toBe(false);
    expect(rates.take('a', second).isAllowed).toBe(true);
    expect(rates.take('a', second).isAllowed).toBe(false);
    expect(rates.take('a', 11 * second)).toEqual({ isAllowed: true, remaining: 9, resetSeconds: 51 });
  });

  it('counts each token by itself, and never holds more than a minute', () => {
    const rates = new RequestRates(2);
    rates.take('a', 0);
    rates.take('a', 0);
    expect(rates.take('a', 0)).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 30 });
    expect(rates.take('b', 0).isAllowed).toBe(true);
    expect(rates.take('a', 3600 * second).remaining).toBe(1);
  });

  it('neither gives nor takes where the clock was put back', () => {
    const rates = new RequestRates(2);
    rates.take('a', 100 * second);
    expect(rates.take('a', 0).remaining).toBe(0);
    expect(rates.take('a', 30 * second).isAllowed).toBe(true);
  });

  it('writes the fields of the draft', () => {
    const rates = new RequestRates(120);
    expect(rates.headers(rates.take('a', 0))).toEqual({
      'ratelimit-policy': '"token";q=120;w=60',
      ratelimit: '"token";r=119;t=1',
    });
  });
});
