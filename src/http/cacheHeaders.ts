import type { CacheReport } from '../invoke/answerRows.ts';

/**
 * The headers that tell how old an answer is and how long it is good: `Cache-Status` (RFC 9211),
 * `Age`, `Cache-Control`, `ETag`. Answers belong to the token that asked, so they are private; one
 * that is not cached here may be kept by its client, which must ask before it uses it again.
 */
export function cacheHeaders(entityTag: string, cache: CacheReport): Readonly<Record<string, string>> {
  const { outcome, ageSeconds, freshSeconds } = cache;
  const maxAgeSeconds = hasAge(cache) ? freshSeconds : Math.max(0, freshSeconds - ageSeconds);
  return {
    etag: entityTag,
    'cache-control': outcome === 'bypass' ? 'private, no-cache' : `private, max-age=${maxAgeSeconds}`,
    ...ageHeaders(cache),
  };
}

/** Those of them that tell how old the answer is. */
function ageHeaders(cache: CacheReport): Readonly<Record<string, string>> {
  const status = { 'cache-status': `Logmill; ${cacheStatus(cache)}` };
  return hasAge(cache) ? { ...status, age: String(cache.ageSeconds) } : status;
}

/** The headers in which two hits of one result differ, whatever else was asked; their values are made by `pushHitAge`. */
export const hitAgeHeaders: ReadonlySet<string> = new Set(['cache-status', 'age']);

/** Adds them to names and values in turn, as `cacheHeaders` has them for a hit of this age. */
export function pushHitAge(headers: string[], ageSeconds: number, freshSeconds: number): void {
  headers.push('cache-status', `Logmill; ${hitStatus(ageSeconds, freshSeconds)}`, 'age', String(ageSeconds));
}

function hitStatus(ageSeconds: number, freshSeconds: number): string {
  return `hit; ttl=${freshSeconds - ageSeconds}`;
}

/** By its presence Age says that the answer was not made for this request (RFC 9111, section 5.1). */
function hasAge({ outcome, isCollapsed }: CacheReport): boolean {
  return outcome === 'hit' || outcome === 'stale' || isCollapsed;
}

function cacheStatus({ outcome, ageSeconds, freshSeconds, isStored, isCollapsed, wasExpired }: CacheReport): string {
  switch (outcome) {
    case 'hit':
      return hitStatus(ageSeconds, freshSeconds);
    case 'stale':
      return `${hitStatus(ageSeconds, freshSeconds)}; detail=stale-if-error`;
    case 'bypass':
      return 'fwd=bypass';
    case 'miss':
    case 'refresh': {
      const why = outcome === 'refresh' ? 'request' : wasExpired ? 'stale' : 'miss';
      return `fwd=${why}${isStored ? '; stored' : ''}${isCollapsed ? '; collapsed' : ''}`;
    }
  }
}
