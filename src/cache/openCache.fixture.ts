import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { systemTimer, type Timer } from '../core/timer.ts';
import { MemoryWorkClaims } from '../stores/memory/memoryWorkClaims.ts';
import type { Run } from './cacheEntry.ts';
import { anyFreshness } from './freshnessDemand.ts';
import { ResultCache } from './resultCache.ts';

export const resultOf = (text: string): Run['result'] => ({
  rows: Buffer.from(text),
  rowCount: 1,
  hasMore: false,
  cutByBytes: false,
  rowsScanned: null,
  elapsedMs: 1,
});

/** A cache of its own, with a clock that only moves by hand. `isCurrent` and `settled`: see `ResultCacheServices`. */
export function openCache(
  isCurrent: () => boolean = () => true,
  { timer = systemTimer, settled }: { timer?: Timer; settled?: () => Promise<void> } = {},
) {
  const clock = new ManualClock(1_000_000_000);
  const cache = new ResultCache(
    { bytesMax: 2 ** 20, entriesMax: 100, warmingShare: 0 },
    {
      clock,
      timer,
      randomness: systemRandomness,
      observe: () => undefined,
      lookForChanges: async () => {},
      claims: new MemoryWorkClaims(),
      isCurrent,
      settled,
    },
  );
  const answer = (key: string, run: () => Promise<Run>, endpointId = 'e') =>
    cache.answer({
      key,
      endpointId,
      version: 1,
      policy: { cacheSeconds: 60, staleIfErrorSeconds: 60 },
      demand: anyFreshness,
      tokenId: 't',
      signal: new AbortController().signal,
      background: null,
      run,
    });
  const runOf = (text: string) => async () => ({ result: resultOf(text), asOfMicros: clock.nowMicros() });
  return { clock, cache, answer, runOf };
}

/** A cache for the contract of CachePurge. */
export function cachedNode(isCurrent?: () => boolean) {
  const { cache, answer, runOf } = openCache(isCurrent);
  return {
    cache,
    answer: async (endpointId: string, fresh: string, hold?: Promise<void>) => {
      const run = async () => {
        await hold;
        return await runOf(fresh)();
      };
      return Buffer.from((await answer(endpointId, run, endpointId)).run.result.rows).toString();
    },
  };
}
