import type { CacheReport } from '../invoke/answerRows.ts';

/**
 * The headers about the age and freshness of an answer: `Cache-Status` (RFC 9211), `Age`, `Cache-Control`, `ETag`.
 * Answers depend on the token, so they are private. If the result is not cached here, the client may store it but must
 * revalidate it.
 */
export function cacheHeaders(entityTag: string, cache: CacheReport): Readonly<Record<string, string>> {
  const { outcome, ageSeconds, freshSeconds } = cache;
  // What is unchanged now may change before the next call.
  const isPassing = outcome === 'bypass' || outcome === 'unchanged';
  const maxAgeSeconds = hasAge(cache) ? freshSeconds : Math.max(0, freshSeconds - ageSeconds);
  return {
    etag: entityTag,
    'cache-control': isPassing ? 'private, no-cache' : `private, max-age=${maxAgeSeconds}`,
    ...ageHeaders(cache),
  };
}

/** The headers about the age alone. */
function ageHeaders(cache: CacheReport): Readonly<Record<string, string>> {
  const status = { 'cache-status': `Logmill; ${cacheStatus(cache)}` };
  return hasAge(cache) ? { ...status, age: String(cache.ageSeconds) } : status;
}

/** The headers that change with the age of a hit. `pushHitAge` writes them. */
export const hitAgeHeaders: ReadonlySet<string> = new Set(['cache-status', 'age']);

/** Appends `hitAgeHeaders` to a list of alternating names and values, the same as `cacheHeaders` for this age. */
export function pushHitAge(headers: string[], ageSeconds: number, freshSeconds: number): void {
  headers.push('cache-status', `Logmill; ${hitStatus(ageSeconds, freshSeconds)}`, 'age', String(ageSeconds));
}

/** Appends `hitAgeHeaders` of an unchanged answer, the same as `cacheHeaders`. */
export function pushUnchanged(headers: string[]): void {
  headers.push('cache-status', `Logmill; ${unchangedStatus}`, 'age', '0');
}

const unchangedStatus = 'hit; detail=unchanged';

function hitStatus(ageSeconds: number, freshSeconds: number): string {
  return `hit; ttl=${freshSeconds - ageSeconds}`;
}

/** The presence of Age means that the answer was not made for this request (RFC 9111, section 5.1). */
function hasAge({ outcome, isCollapsed }: CacheReport): boolean {
  return outcome === 'hit' || outcome === 'stale' || outcome === 'unchanged' || isCollapsed;
}

function cacheStatus({ outcome, ageSeconds, freshSeconds, isStored, isCollapsed, wasExpired }: CacheReport): string {
  switch (outcome) {
    case 'hit':
      return hitStatus(ageSeconds, freshSeconds);
    case 'stale':
      return `${hitStatus(ageSeconds, freshSeconds)}; detail=stale-if-error`;
    case 'unchanged':
      return unchangedStatus;
    case 'bypass':
      return 'fwd=bypass';
    case 'miss':
    case 'refresh': {
      const why = outcome === 'refresh' ? 'request' : wasExpired ? 'stale' : 'miss';
      return `fwd=${why}${isStored ? '; stored' : ''}${isCollapsed ? '; collapsed' : ''}`;
    }
  }
}
