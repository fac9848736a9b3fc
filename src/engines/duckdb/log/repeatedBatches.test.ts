import { describe, expect, it } from 'vitest';
import { IdentityMemory, identityRow } from './identityMemory.ts';
import { RepeatedBatches } from './repeatedBatches.ts';

const identity = { key: 'key', digest: 'digest', answer: '{"accepted":1}' };
const row = identityRow(identity, 1);
const other = identityRow({ ...identity, digest: 'other' }, 1);

function setUp() {
  const memory = new IdentityMemory(1_000, 10, 1_000_000);
  return { memory, repeated: new RepeatedBatches(memory) };
}

describe('a batch with the key of one that is in progress', () => {
  it('waits for it, and is a duplicate or a conflict when that one is stored', async () => {
    const { memory, repeated } = setUp();
    expect(await repeated.claim(row)).toBeNull();
    expect(repeated.isKnown(other)).toBe(true);
    const waiting = Promise.all([repeated.claim(row), repeated.claim(other), repeated.recall(identity)]);
    memory.remember([row], 1);
    repeated.settle(row);
    const duplicate = { kind: 'duplicate', answer: identity.answer };
    expect(await waiting).toEqual([duplicate, { kind: 'conflict' }, duplicate]);
  });

  it('is the only one of several that may be stored next when that one is not', async () => {
    const { repeated } = setUp();
    await repeated.claim(row);
    let claimed = 0;
    const waiting = [1, 2, 3].map(async () => {
      const outcome = await repeated.claim(row);
      claimed++;
      return outcome;
    });
    for (let count = 1; count <= 3; count++) {
      repeated.settle(row);
      await new Promise(setImmediate);
      expect(claimed).toBe(count);
    }
    expect(await Promise.all(waiting)).toEqual([null, null, null]);
    repeated.settle(row);
    expect(repeated.isKnown(row)).toBe(false);
  });
});

it('recalls nothing for a key that no batch had', async () => {
  expect(await setUp().repeated.recall(identity)).toBeNull();
});
