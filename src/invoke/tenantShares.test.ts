import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { TenantShares } from './tenantShares.ts';

function sharesOf(longMax = 2) {
  const timer = new ManualTimer();
  const shares = new TenantShares({ longMs: 100, longMax }, () => timer.nowMs());
  shares.asks('a');
  shares.asks('b');
  const run = (tenant: string, ms: number) => {
    const end = shares.begin(tenant);
    timer.advanceMs(ms);
    end();
  };
  return { timer, shares, run };
}

it('lets an unknown tenant run two at once, and one more after each short run', () => {
  const { shares, run } = sharesOf();
  shares.begin('a');
  expect(shares.mayTake('a')).toBe(true);
  shares.begin('a');
  expect(shares.mayTake('a')).toBe(false);
  run('b', 10);
  run('b', 10);
  for (let i = 0; i < 4; i++) {
    expect(shares.mayTake('b')).toBe(true);
    shares.begin('b');
  }
  expect(shares.mayTake('b')).toBe(false);
});

it('gives long runs no more than their number, of all tenants together', () => {
  const { timer, shares } = sharesOf(2);
  shares.begin('a');
  timer.advanceMs(101);
  // Beside its own long one, while there is room for another.
  expect(shares.mayTake('a')).toBe(true);
  shares.begin('b');
  timer.advanceMs(101);
  expect([shares.mayTake('a'), shares.mayTake('b')]).toEqual([false, false]);
  expect(shares.mayTake('light')).toBe(true);
});

it('keeps no tenant from its first query, however long its last ones took', () => {
  const { timer, shares, run } = sharesOf(1);
  for (let i = 0; i < 5; i++) run('a', 20_000);
  shares.begin('b');
  timer.advanceMs(200);
  expect(shares.mayTake('a')).toBe(true);
  shares.begin('a');
  expect(shares.mayTake('a')).toBe(false);
});

it('leaves a tenant whatever it wants while no other is there', () => {
  const timer = new ManualTimer();
  const shares = new TenantShares({ longMs: 100, longMax: 1 }, () => timer.nowMs());
  shares.asks('only');
  for (let i = 0; i < 6; i++) shares.begin('only');
  timer.advanceMs(2_000);
  expect(shares.mayTake('only')).toBe(true);
  shares.asks('other');
  expect(shares.mayTake('only')).toBe(false);
  shares.asks('only');
  expect(shares.mayTake('only')).toBe(false);
  timer.advanceMs(5 * 60_000 + 1);
  shares.asks('only');
  expect(shares.mayTake('only')).toBe(true);
});

it('counts a run that steps aside neither as long nor as held', () => {
  const { timer, shares } = sharesOf(1);
  const stepsAside = shares.begin('a');
  timer.advanceMs(20);
  stepsAside();
  timer.advanceMs(20_000);
  expect([shares.held('a'), shares.mayTake('a')]).toEqual([0, true]);
  stepsAside();
  expect(shares.held('a')).toBe(0);
});
