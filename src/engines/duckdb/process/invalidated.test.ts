import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { isInvalidated } from './invalidated.ts';

const refusal =
  'FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted prior to being used again.\nOriginal error: "x"';
const fatal = 'FATAL Error: Failed to rollback transaction. Cannot continue operation.\nError: x';

const answering = (message: string | null) => {
  const log: string[] = [];
  const connect = async () => ({
    run: async (sql: string): Promise<never> => {
      log.push(sql);
      throw message === null ? new TypeError() : new Error(message);
    },
    closeSync: () => {
      log.push('closed');
    },
  });
  return { connect, log };
};

it.each([
  [refusal, refusal, true],
  [fatal, refusal, true],
  [fatal, 'Out of Memory Error: failed to allocate', false],
  [fatal, 'Conversion Error: FATAL Error: Failed: database has been invalidated', false],
  [fatal, null, false],
])('after %j an instance that answers %j is invalidated: %s', async (detail, answer, expected) => {
  const { connect, log } = answering(answer);
  expect(await isInvalidated(detail, connect)).toBe(expected);
  expect(log).toEqual(['SELECT 1', 'closed']);
});

it('an instance is not asked after any other error, and one that works is not invalidated', async () => {
  const { connect, log } = answering(refusal);
  expect(await isInvalidated('Out of Memory Error: failed to allocate', connect)).toBe(false);
  expect(log).toEqual([]);
  const instance = await DuckDBInstance.create(':memory:');
  expect(await isInvalidated(fatal, async () => await instance.connect())).toBe(false);
  instance.closeSync();
});
