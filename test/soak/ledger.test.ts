import { describe, expect, it } from 'vitest';
import { Disturbances } from './disturbances.ts';
import { Ledger } from './ledger.ts';
import { slopePerMinute } from './samples.ts';
import { evenSchedule, schedule } from './schedule.ts';

const batch = (name: string, events: number) => ({
  name,
  tenant: 't',
  source: 's',
  events,
  amount: 10 * events,
  requests: 0,
});

describe('the ledger', () => {
  it('counts what was acknowledged as the least, and what may be there as the most', () => {
    const ledger = new Ledger();
    for (const [name, events] of [
      ['a', 1],
      ['b', 2],
      ['c', 4],
      ['d', 8],
    ] as const) {
      ledger.begin(batch(name, events));
    }
    ledger.settle('a', 'acknowledged', 10);
    ledger.settle('b', 'refused', 20);
    ledger.settle('c', 'unsettled', 30);
    expect(ledger.least('t', 's')).toEqual({ events: 1, amount: 10, requests: 0 });
    expect(ledger.most('t', 's')).toEqual({ events: 13, amount: 130, requests: 0 });
    expect(ledger.least('other', 's').events).toBe(0);
    expect(() => ledger.settle('a', 'refused', 40)).toThrow('a second time');
  });

  it('knows what was acknowledged at an earlier time', () => {
    const ledger = new Ledger();
    for (const [name, atMs] of [
      ['a', 10],
      ['b', 20],
    ] as const) {
      ledger.begin(batch(name, 1));
      ledger.settle(name, 'acknowledged', atMs);
    }
    expect([5, 10, 15, 20].map((atMs) => ledger.least('t', 's', atMs).events)).toEqual([0, 1, 1, 2]);
  });

  it('excuses batches of a damaged file, before and after their acknowledgement', () => {
    const ledger = new Ledger();
    ledger.begin(batch('a', 1));
    ledger.begin(batch('b', 2));
    ledger.begin(batch('c', 4));
    ledger.settle('a', 'acknowledged', 10);
    ledger.settle('c', 'acknowledged', 10);
    ledger.excuse('a');
    ledger.excuse('a');
    ledger.excuse('b');
    ledger.excuse('nobody sent this');
    ledger.settle('b', 'acknowledged', 20);
    expect(ledger.least('t', 's').events).toBe(4);
    expect(ledger.most('t', 's').events).toBe(7);
  });
});

describe('the schedule', () => {
  const names = ['kill-service', 'kill-engine', 'greedy', 'clock-back', 'damage-stopped', 'damage-running'];

  it('is decided by the seed, in order of time, and holds every fault', () => {
    const planned = schedule(names, 1_200_000, '1');
    expect(schedule(names, 1_200_000, '1')).toEqual(planned);
    expect(schedule(names, 1_200_000, '2')).not.toEqual(planned);
    expect(planned.map(({ atMs }) => atMs)).toEqual(planned.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    expect(new Set(planned.map(({ name }) => name))).toEqual(new Set(names));
  });

  it('leaves the main process alone in its later part', () => {
    const restarts = schedule(names, 1_200_000, '1').filter(
      ({ name }) => name === 'kill-service' || name === 'damage-stopped',
    );
    expect(Math.max(...restarts.map(({ atMs }) => atMs))).toBeLessThan(0.45 * 1_200_000);
  });
});

it('plans faults of nodes for any time except the beginning and the end', () => {
  const planned = evenSchedule(['kill-node', 'restart-postgres'], 600_000, '1');
  expect(evenSchedule(['kill-node', 'restart-postgres'], 600_000, '1')).toEqual(planned);
  expect(new Set(planned.map(({ name }) => name))).toEqual(new Set(['kill-node', 'restart-postgres']));
  expect(Math.min(...planned.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(48_000);
  expect(Math.max(...planned.map(({ atMs }) => atMs))).toBeLessThan(510_000);
});

it('lets a fault of one node explain no error of another', () => {
  const disturbances = new Disturbances();
  const [a, b] = [{}, {}];
  const isOver = disturbances.begin('service-down', a);
  disturbances.begin('store-away');
  const now = performance.now();
  expect([...disturbances.since(now, a)].sort()).toEqual(['service-down', 'store-away']);
  expect([...disturbances.since(now, b)]).toEqual(['store-away']);
  expect([...disturbances.since(now)].sort()).toEqual(['service-down', 'store-away']);
  isOver();
  expect([...disturbances.since(performance.now() + 60_000, a)]).toEqual(['store-away']);
});

it('tells growth a minute from what was seen each second', () => {
  expect(
    slopePerMinute([
      [0, 100],
      [1, 102],
      [2, 104],
    ]),
  ).toBeCloseTo(120);
  expect(
    slopePerMinute([
      [0, 7],
      [60, 7],
    ]),
  ).toBe(0);
});
