import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SettledSlots, type SlotShares, settleSlots } from './slotShares.ts';

interface Node {
  slots: number;
  running: number;
  waiting: number;
}

/** Nodes that run queries of one token as they may, and settle without any loss of time. */
class Nodes {
  readonly limit: number;
  readonly nodes: readonly Node[];
  shares: SlotShares | null = null;
  alive: Set<string>;
  nowMicros = 0;

  constructor(limit: number, count: number) {
    this.limit = limit;
    this.nodes = Array.from({ length: count }, () => ({ slots: 0, running: 0, waiting: 0 }));
    this.alive = new Set(this.nodes.map((_, n) => String(n)));
  }

  get running(): number {
    return this.nodes.reduce((sum, { running }) => sum + running, 0);
  }

  at(n: number): Node {
    const node = this.nodes[n];
    if (node === undefined) throw new Error(`no node ${n}`);
    return node;
  }

  settle(n: number, isLeaving = false): SettledSlots {
    const node = this.at(n);
    const { running, waiting } = node;
    const report = {
      node: String(n),
      nowMicros: this.nowMicros++,
      limit: this.limit,
      running,
      wanted: running + waiting,
      isLeaving,
    };
    const settled = settleSlots(this.shares, report, this.alive);
    this.shares = settled.shares;
    node.slots = settled.slots;
    while (node.waiting > 0 && node.running < node.slots) {
      node.waiting -= 1;
      node.running += 1;
    }
    return settled;
  }

  end(n: number): void {
    const node = this.at(n);
    if (node.running > 0) node.running -= 1;
  }
}

describe('slots of a token', () => {
  it('never exceed the limit over all nodes, whatever comes in which order', () => {
    const step = fc.record({ node: fc.nat(2), does: fc.constantFrom('ask', 'settle', 'settle', 'end', 'leave') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 200 }), (limit, steps) => {
        const nodes = new Nodes(limit, 3);
        for (const { node, does } of steps) {
          if (does === 'ask') nodes.at(node).waiting += 1;
          else if (does === 'end') nodes.end(node);
          else nodes.settle(node, does === 'leave');
          expect(nodes.running).toBeLessThanOrEqual(limit);
          expect(nodes.nodes.reduce((sum, { slots }) => sum + slots, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('are all used while anyone waits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }),
        (limit, asks) => {
          const asked = asks.reduce((sum, waiting) => sum + waiting, 0);
          const nodes = new Nodes(limit, 3);
          for (const [n, waiting] of asks.entries()) nodes.at(n).waiting = waiting;
          for (let n = 0; n < 12; n++) nodes.settle(n % 3);
          expect(nodes.running).toBe(Math.min(limit, asked));
        },
      ),
    );
  });

  it('go round nodes that all wait, even if there is one slot', () => {
    const nodes = new Nodes(1, 3);
    const turns = [0, 0, 0];
    for (let n = 0; n < 90; n++) {
      for (const each of [0, 1, 2]) nodes.at(each).waiting = 1;
      const runs = nodes.nodes.findIndex(({ running }) => running > 0);
      if (runs >= 0) {
        turns[runs] = (turns[runs] ?? 0) + 1;
        nodes.end(runs);
      }
      for (const each of [0, 1, 2]) nodes.settle(each);
    }
    expect(Math.min(...turns)).toBeGreaterThan(20);
  });

  it('are shared evenly between nodes that want more than there are', () => {
    const nodes = new Nodes(6, 3);
    nodes.at(0).waiting = 100;
    nodes.settle(0);
    expect(nodes.at(0).slots).toBe(6);
    for (const n of [1, 2]) nodes.at(n).waiting = 100;
    for (let n = 0; n < 60; n++) {
      nodes.end(0);
      for (const each of [0, 1, 2]) nodes.settle(each);
    }
    expect(nodes.nodes.map(({ slots }) => slots)).toEqual([2, 2, 2]);
  });

  it('tell who must settle: those that hold unused ones, and those that wait for freed ones', () => {
    const nodes = new Nodes(2, 2);
    nodes.at(0).waiting = 2;
    nodes.settle(0);
    for (let n = 0; n < 2; n++) nodes.end(0);
    nodes.settle(0);
    expect(nodes.at(0).slots).toBe(2);
    nodes.at(1).waiting = 1;
    expect(nodes.settle(1)).toMatchObject({ slots: 0, isShort: true });
    expect(nodes.settle(0)).toMatchObject({ isContested: true, hasFreed: true });
    expect(nodes.settle(1)).toMatchObject({ slots: 1, isShort: false });
  });

  it('lapse if the node is gone', () => {
    const nodes = new Nodes(3, 2);
    nodes.at(0).waiting = 3;
    nodes.settle(0);
    nodes.alive = new Set(['1']);
    nodes.at(1).waiting = 3;
    nodes.settle(1);
    expect(nodes.at(1).slots).toBe(3);
  });
});
