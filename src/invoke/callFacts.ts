import type { CacheOutcome } from '../cache/resultCache.ts';

/**
 * What is known of one call of an endpoint so far, for the log and for usage. Filled in while the
 * call goes on, so that it holds what there is of a call that failed too; nothing that its caller sent.
 */
export interface CallFacts {
  /** Null until one was found that the token may call. */
  endpoint: { readonly id: string; readonly name: string; readonly version: number } | null;
  /** Whether the caller sent a query of its own. */
  isCallerQuery: boolean;
  /** Null until there are rows. */
  cache: CacheOutcome | null;
  rowCount: number;
  /** Of the body of a 200, before any coding. */
  bytes: number;
}

export function noFacts(): CallFacts {
  return { endpoint: null, isCallerQuery: false, cache: null, rowCount: 0, bytes: 0 };
}
