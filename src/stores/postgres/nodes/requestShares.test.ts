import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestShare } from './requestShare.ts';
import { firstAllowance, type RequestShares, settleShares } from './requestShares.ts';

/** Nodes that serve one token, with a state that they settle without any loss of time. */
class Nodes {
  readonly rate: { readonly requests: number; readonly seconds: number };
  readonly count: number;
  shares: RequestShares | null = null;
  readonly held = new Map<number, RequestShare>();
  readonly allowed: number[];
  alive: Set<string>;

  constructor(requests: number, seconds: number, count: number) {
    this.rate = { requests, seconds };
    this.count = count;
    this.allowed = new Array<number>(count).fill(0);
    this.alive = new Set(this.allowed.map((_, n) => String(n)));
  }

  get total(): number {
    return this.allowed.reduce((sum, n) => sum + n, 0);
  }

  ask(node: number, nowMicros: number): boolean {
    const isUsed = this.shares !== null;
    const share =
      this.held.get(node) ??
      new RequestShare(this.rate, 1 / this.count, firstAllowance(this.rate, this.count, isUsed), nowMicros);
    this.held.set(node, share);
    const isAllowed = share.ask(nowMicros);
    if (isAllowed) {
      share.take();
      this.allowed[node] = (this.allowed[node] ?? 0) + 1;
    }
    return isAllowed;
  }

  settle(node: number, nowMicros: number, isLeaving = false): void {
    const share = this.held.get(node);
    if (share === undefined) return;
    const report = { node: String(node), nowMicros, isLeaving, ...share.report(nowMicros) };
    const { shares, held } = settleShares(this.shares, this.rate, report, this.alive);
    this.shares = shares;
    share.settled(held);
    if (isLeaving) this.held.delete(node);
  }
}

const second = 1e6;

describe('shares of a rate', () => {
  it('allow no more than the rate to all nodes together, whatever comes in which order, but for the first loans', () => {
    const step = fc.record({
      node: fc.nat(2),
      does: fc.constantFrom('ask', 'ask', 'burst', 'settle', 'settle', 'leave'),
      afterMs: fc.constantFrom(0, 0, 1, 20, 100, 1_000, 30_000),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 120 }),
        fc.array(step, { maxLength: 300 }),
        (requests, seconds, steps) => {
          const nodes = new Nodes(requests, seconds, 3);
          let nowMicros = 0;
          let loans = 0;
          for (const { node, does, afterMs } of steps) {
            nowMicros += afterMs * 1000;
            if (does === 'settle' || does === 'leave') nodes.settle(node, nowMicros, does === 'leave');
            else {
              // A node that comes new may be lent something each time.
              if (!nodes.held.has(node)) loans += firstAllowance(nodes.rate, 3, nodes.shares !== null);
              for (let n = 0; n < (does === 'burst' ? 50 : 1); n++) nodes.ask(node, nowMicros);
            }
          }
          const refilled = (requests * nowMicros) / (seconds * second);
          expect(nodes.total).toBeLessThanOrEqual(requests + refilled + loans + 1e-6);
        },
      ),
    );
  });

  it.each([
    ['the same load', [1, 1, 1]],
    ['unequal load', [16, 3, 1]],
    ['load on one node', [1, 0, 0]],
    ['little load on one of two', [40, 1, 0]],
  ])('allow the whole rate, within a tenth, with %s', (_, weights) => {
    const nodes = new Nodes(600, 60, 3);
    const asks = weights.flatMap((weight, node) => new Array<number>(weight).fill(node));
    // Ten times the rate for a minute; nodes settle ten times a second, one after the other.
    let turn = 0;
    for (let ms = 0; ms < 60_000; ms += 10) {
      nodes.ask(asks[turn++ % asks.length] ?? 0, ms * 1000);
      if (ms % 30 === 0) nodes.settle((ms / 30) % 3, ms * 1000);
    }
    // A full bucket at first, and the rate.
    expect(nodes.total).toBeGreaterThan(0.9 * 1200);
    expect(nodes.total).toBeLessThan(1.1 * 1200);
  });

  it('follow the load to another node within two exchanges', () => {
    const nodes = new Nodes(600, 60, 3);
    for (let n = 0; n < 10; n++) nodes.ask(0, 0);
    nodes.settle(0, 0);
    for (let n = 0; n < 100; n++) nodes.ask(1, 0);
    for (const node of [1, 0, 1]) nodes.settle(node, 0);
    const allowed = Array.from({ length: 300 }, () => nodes.ask(1, 0)).filter(Boolean);
    expect(allowed).toHaveLength(300);
  });

  it('lapse if the node is gone, with what it held', () => {
    const nodes = new Nodes(100, 50, 2);
    for (const node of [0, 1]) nodes.ask(node, 0);
    for (const node of [0, 1, 0, 1]) nodes.settle(node, 0);
    nodes.alive = new Set(['0']);
    nodes.settle(0, 0);
    nodes.ask(0, 0);
    nodes.settle(0, 0);
    const allowed = Array.from({ length: 150 }, () => nodes.ask(0, 0)).filter(Boolean).length;
    expect(allowed).toBeGreaterThan(90);
    expect(nodes.total).toBeLessThanOrEqual(100);
  });

  it('stay as they are without the database: the rates of all nodes add up to the rate', () => {
    const nodes = new Nodes(600, 60, 3);
    for (let n = 0; n < 60; n++) nodes.ask(n % 3, 0);
    for (const node of [0, 1, 2, 0, 1, 2]) nodes.settle(node, 0);
    for (let ms = 0; ms < 120_000; ms += 10) nodes.ask((ms / 10) % 3, ms * 1000);
    expect(nodes.total).toBeGreaterThan(0.9 * 1800);
    expect(nodes.total).toBeLessThan(1.1 * 1800);
  });

  it('leave nothing behind once the bucket is full and no node holds a share', () => {
    const nodes = new Nodes(10, 10, 2);
    nodes.ask(0, 0);
    nodes.settle(0, 0);
    nodes.settle(0, 20 * second, true);
    expect(nodes.shares).toBeNull();
  });

  it('neither fill nor empty if the clock of all nodes is set back', () => {
    const nodes = new Nodes(100, 50, 2);
    for (let n = 0; n < 100; n++) {
      nodes.ask(n % 2, 100 * second);
      nodes.settle(n % 2, 100 * second);
    }
    const before = nodes.total;
    for (let n = 0; n < 100; n++) {
      nodes.ask(n % 2, 0);
      nodes.settle(n % 2, 0);
    }
    expect(nodes.total - before).toBeLessThanOrEqual(100 - before + 1);
  });
});
