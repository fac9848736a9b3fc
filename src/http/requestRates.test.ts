import { describe, expect, it } from 'vitest';
import type { RequestRate } from '../ports/requestCounter.ts';
import { MemoryRequestCounter } from '../stores/memory/memoryRequestCounter.ts';
import { RequestRates } from './requestRates.ts';

const second = 1e6;
const token = (publicId: string, rate?: RequestRate) => ({
  publicId,
  restrictions: rate === undefined ? null : { projects: null, rate },
});

function left(rates: RequestRates, atSeconds: number, of = token('a')): string {
  const { headers, refusal } = rates.take(of, atSeconds * second);
  return `${refusal === undefined ? 'allowed' : `refused for ${refusal.retryAfterSeconds}`} ${headers.ratelimit ?? ''}`;
}

describe('RequestRates', () => {
  it('allows a burst of a window, then the rate', () => {
    const rates = new RequestRates({ requests: 60, seconds: 60 }, new MemoryRequestCounter());
    const burst = Array.from({ length: 61 }, () => left(rates, 0));
    expect(burst.filter((each) => each.startsWith('allowed'))).toHaveLength(60);
    expect(burst.slice(-2)).toEqual(['allowed "token";r=0;t=1', 'refused for 1 "token";r=0;t=1']);
    expect(left(rates, 0.5)).toMatch(/^refused/);
    expect(left(rates, 1)).toMatch(/^allowed/);
    expect(left(rates, 1)).toMatch(/^refused/);
    expect(left(rates, 11)).toBe('allowed "token";r=9;t=51');
  });

  it('counts each token by itself, and never holds more than a window', () => {
    const rates = new RequestRates({ requests: 2, seconds: 60 }, new MemoryRequestCounter());
    left(rates, 0);
    left(rates, 0);
    expect(left(rates, 0)).toBe('refused for 30 "token";r=0;t=30');
    expect(left(rates, 0, token('b'))).toMatch(/^allowed/);
    expect(left(rates, 3600)).toContain('r=1');
  });

  it('neither gives nor takes where the clock was put back', () => {
    const rates = new RequestRates({ requests: 2, seconds: 60 }, new MemoryRequestCounter());
    left(rates, 100);
    expect(left(rates, 0)).toBe('allowed "token";r=0;t=30');
    expect(left(rates, 30)).toMatch(/^allowed/);
  });

  it("holds a token to its own rate beside everyone's, and takes nothing from one where the other refuses", () => {
    const rates = new RequestRates({ requests: 3, seconds: 60 }, new MemoryRequestCounter());
    const limited = token('a', { requests: 2, seconds: 10 });
    expect(left(rates, 0, limited)).toBe('allowed "token";r=2;t=20, "own";r=1;t=5');
    expect(left(rates, 0, limited)).toBe('allowed "token";r=1;t=40, "own";r=0;t=5');
    expect(left(rates, 0, limited)).toBe('refused for 5 "token";r=1;t=40, "own";r=0;t=5');
    expect(left(rates, 5, limited)).toBe('allowed "token";r=0;t=15, "own";r=0;t=5');
    expect(left(rates, 10, limited)).toBe('refused for 10 "token";r=0;t=10, "own";r=1;t=5');
    expect(left(rates, 0, token('c'))).toBe('allowed "token";r=2;t=20');
  });

  it('holds for one token alone, and says nothing where no rate does', () => {
    const rates = new RequestRates(null, new MemoryRequestCounter());
    const limited = token('a', { requests: 1, seconds: 86_400 });
    expect(rates.take(limited, 0).headers).toEqual({
      'ratelimit-policy': '"own";q=1;w=86400',
      ratelimit: '"own";r=0;t=86400',
    });
    expect(rates.take(limited, 0).refusal).toMatchObject({ code: 'request.rate_limited', retryAfterSeconds: 86_400 });
    expect(rates.take(token('b'), 0)).toEqual({ headers: {}, refusal: undefined });
  });
});
