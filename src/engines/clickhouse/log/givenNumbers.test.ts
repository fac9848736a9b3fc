import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerWentBack } from '../../../ports/commitLedger.ts';
import { GivenNumbers } from './givenNumbers.ts';

describe('numbers of a ledger that can be replaced by an older one', () => {
  let interruptions: number;
  let end: number;
  let known: number;
  let stored: number;
  let asked: number;
  let told: string[];
  let numbers: GivenNumbers;
  beforeEach(() => {
    [interruptions, end, known, stored, asked, told] = [0, 10, 10, 9, 0, []];
    numbers = new GivenNumbers({
      ledger: {
        skip: async (number) => {
          end = Math.max(end, number + 1);
        },
      },
      highest: async (from) => {
        asked += 1;
        return stored >= from ? stored : null;
      },
      known: () => known,
      interruptions: () => interruptions,
      observe: (observation) => void told.push(observation.kind),
    });
  });
  const take = async () =>
    await numbers.take(async (least) => {
      if (end < least) throw new LedgerWentBack();
      return end++;
    });

  it('are given without a look at the stored events while nothing has happened', async () => {
    expect([await take(), await take(), asked]).toEqual([10, 11, 0]);
  });

  it('go on above all stored events if the store was away, though this node knows of no such event', async () => {
    [end, known, stored] = [5, 5, 20];
    interruptions += 1;
    expect([await take(), await take(), asked, told]).toEqual([21, 22, 1, []]);
  });

  it('go on above what this node knows if the ledger is at a lower one', async () => {
    end = 4;
    expect([await take(), asked, told]).toEqual([10, 1, ['warning']]);
  });

  it('are not given while the stored events cannot be read', async () => {
    interruptions += 1;
    stored = Number.NaN;
    const failing = new GivenNumbers({
      ledger: { skip: async () => undefined },
      highest: async () => {
        throw new Error('away');
      },
      known: () => 0,
      interruptions: () => interruptions,
      observe: () => undefined,
    });
    interruptions += 1;
    await expect(failing.take(async () => 1)).rejects.toThrow('away');
  });

  it('are compared again if the store was away meanwhile', async () => {
    interruptions += 1;
    await take();
    interruptions += 1;
    stored = 30;
    expect([await take(), asked]).toEqual([31, 2]);
  });
});
