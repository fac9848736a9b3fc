import type { OpenQuerySide } from '../openClickHouseStorage.ts';

/** A query side that refuses every query, for a storage whose events are only copied. */
export async function noQueries(): Promise<OpenQuerySide> {
  const refuse = () => Promise.reject(new Error('this storage was opened without queries'));
  return {
    queries: { run: refuse, explain: refuse },
    barrier: 'none',
    ping: async (signal) => signal.throwIfAborted(),
    close: async () => undefined,
  };
}
