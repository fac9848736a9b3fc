import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byteBudget.ts';

describe('ByteBudget', () => {
  it('gives a lone owner half, and always leaves room for one more owner', () => {
    const budget = new ByteBudget(100);
    const taken = ['a', 'b', 'c'].map((owner) => {
      let count = 0;
      for (; budget.hasRoom(owner, 1); count++) budget.change(owner, 1);
      return count;
    });
    expect(taken).toEqual([50, 25, 12]);
    expect(budget.hasRoom('a', 1)).toBe(false);
    expect(budget.hasRoom('d', 6)).toBe(true);
  });

  it('gives back what is released', () => {
    const budget = new ByteBudget(100);
    budget.change('a', 50);
    expect(budget.hasRoom('a', 1)).toBe(false);
    budget.change('a', -50);
    expect([budget.heldBytes, budget.hasRoom('a', 50)]).toEqual([0, true]);
  });

  it('never lets owners together hold more than the budget, however they take', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 60 }))), (takes) => {
        const budget = new ByteBudget(100);
        for (const [owner, bytes] of takes) if (budget.hasRoom(owner, bytes)) budget.change(owner, bytes);
        expect(budget.heldBytes).toBeLessThan(100);
      }),
    );
  });
});
