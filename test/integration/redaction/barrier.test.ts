import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { storageVariants } from '../../conformance/storageVariants.ts';
import { casesOfRun, onEngine } from '../../support/enginesUnderTest.ts';
import { RedactedStore } from './redactedStore.ts';
import { eventsWith, secretSets, secretTexts, undoingQueries } from './undoing.ts';

const [ours, others] = secretSets;

function guessing(query: string): string {
  return query
    .replaceAll('$ip', ours.ips[0] ?? '')
    .replaceAll('$email', ours.email)
    .replaceAll('$name', ours.name);
}

const queries = casesOfRun(undoingQueries, { of: 12 }).map(guessing);

async function answerOf(store: RedactedStore, query: string, isRaw = false): Promise<string> {
  try {
    return await store.rows(query, { isRaw });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return JSON.stringify([error.code, error.message, error.errors]);
  }
}

describe.each(casesOfRun(storageVariants, { of: 3 }))(onEngine('a caller below the barrier ($title)'), (variant) => {
  let store: RedactedStore;
  let twin: RedactedStore;
  beforeAll(async () => {
    store = await RedactedStore.open(eventsWith(ours), variant);
    twin = await RedactedStore.open(eventsWith(others), variant);
  });
  afterAll(async () => {
    await store.close();
    await twin.close();
  });

  it.each(queries)('learns nothing by %s', async (query) => {
    const answer = await answerOf(store, query);
    expect(answer).toBe(await answerOf(twin, query));
    for (const secret of secretTexts(ours)) expect(answer).not.toContain(secret);
    expect(answer).toMatch(/^\[(?!"sql|"sandbox)/);
  });
});

describe(onEngine('queries that try to undo redaction'), () => {
  it('learn something without it, so that each of them can fail', async () => {
    const variant = { withHotColumns: true, isSealed: false };
    const store = await RedactedStore.open(eventsWith(ours), variant);
    const twin = await RedactedStore.open(eventsWith(others), variant);
    try {
      for (const query of queries) {
        expect(await answerOf(store, query, true), query).not.toBe(await answerOf(twin, query, true));
      }
    } finally {
      await store.close();
      await twin.close();
    }
  });
});
