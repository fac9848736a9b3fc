import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from './calls.ts';
import { compare } from './compare.ts';
import { hostileText } from './mutations.ts';
import { type Call, LqlStore } from './store.ts';
import { lqlText } from './texts.ts';

/** `npm run fuzz:lql` does as many as there is time for. */
const runs = 200;

let store: LqlStore;
beforeAll(async () => {
  store = await LqlStore.open(1);
});
afterAll(() => store.close());

const everything: Call = { projects: null, isRedacted: false, rowsMax: 1000 };

describe('the service answers LQL as the reference evaluator does', () => {
  it('for texts of the whole grammar', async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(lqlText, call, async (text, of) => {
        const { outcome, difference } = await compare(text, of, store);
        if (outcome === 'the same rows') answered++;
        expect(difference).toBeNull();
      }),
      { numRuns: runs },
    );
    expect(answered).toBeGreaterThan(runs / 4);
  });

  it('or refuses it with a place, where something was cut out of a text or put into it', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, call, async (text, of) => {
        expect((await compare(text, of, store)).difference).toBeNull();
      }),
      { numRuns: runs },
    );
  });

  it.each([['a reversed range of levels on a table without any', 'metadata.level:error..debug f:typed']])(
    'where they once differed: %s',
    async (_, text) => {
      expect((await compare(text, everything, store)).difference).toBeNull();
    },
  );
});
