import type { CacheOutcome } from '../cache/cacheEntry.ts';
import type { ServiceError } from '../core/errors.ts';

/**
 * Facts about one call, for the log and for usage. Filled in during the call, so that failed calls are covered too.
 * Contains nothing that the caller sent.
 */
export interface CallFacts {
  /** Null until an endpoint is found that the token may call. */
  endpoint: { readonly id: string; readonly name: string; readonly version: number } | null;
  /** Whether the caller sent a caller query. */
  isCallerQuery: boolean;
  /** Null until there are rows. */
  cache: CacheOutcome | null;
  rowCount: number;
  /** Size of the body of a 200, before content coding. */
  bytes: number;
  /** The error that ended the body of a 200 before its end; null if there is none. */
  failure: ServiceError | null;
}

export function noFacts(): CallFacts {
  return { endpoint: null, isCallerQuery: false, cache: null, rowCount: 0, bytes: 0, failure: null };
}
