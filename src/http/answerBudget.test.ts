import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { AnswerBudget } from './answerBudget.ts';

/** A response that can only close. */
class ClosingResponse extends EventEmitter {
  destroyed = false;

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const isOverloaded = (work: () => void): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'query.overloaded') return true;
    throw error;
  }
};

describe('the budget of answers', () => {
  const open = (budget: AnswerBudget, owner: string) => {
    const response = new ClosingResponse();
    return { response, share: budget.open(owner, response as unknown as ServerResponse) };
  };

  it('counts an answer while it grows, and as what it is in the end', () => {
    const budget = new AnswerBudget(100);
    const { share } = open(budget, 'a');
    share.hold(20);
    share.hold(50);
    expect(isOverloaded(() => share.hold(51))).toBe(true);
    share.hold(10);
    expect([budget.hasRoom('a', 40), budget.hasRoom('a', 41)]).toEqual([true, false]);
  });

  it('gives back what an answer holds when its response has closed, and counts nothing afterwards', () => {
    const budget = new AnswerBudget(100);
    const { share, response } = open(budget, 'a');
    share.hold(50);
    response.close();
    share.hold(40);
    expect(budget.hasRoom('a', 50)).toBe(true);
  });

  it('refuses what has no room beside the other answers of its owner', () => {
    const budget = new AnswerBudget(100);
    const [first, second] = [open(budget, 'a'), open(budget, 'a')];
    first.share.hold(40);
    expect(isOverloaded(() => second.share.hold(20))).toBe(true);
    first.response.close();
    second.share.hold(20);
  });
});
