import { anyFreshness, type FreshnessDemand } from '../cache/freshnessDemand.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { allows } from '../tokens/permission.ts';

/**
 * The freshness that a call gets. Forcing a run needs the scope `query:fresh`; without it the demand is ignored
 * (contract, section 5).
 */
export function grantedFreshness(
  demand: FreshnessDemand,
  { scopes }: Pick<AuthenticatedToken, 'scopes'>,
): { readonly demand: FreshnessDemand; readonly notices: readonly Notice[] } {
  if (!demand.mustRun || allows(scopes, { kind: 'query:fresh' })) return { demand, notices: [] };
  return {
    demand: { ...demand, mustRun: false },
    notices: [
      {
        code: 'cache.no_cache_ignored',
        message:
          'Cache-Control: no-cache was ignored, because the token does not have the scope query:fresh. See meta.cache for the age of the result.',
      },
    ],
  };
}

/**
 * Returns the demand of a call on rows that are never too old: only whether to force a run, and whether to accept only a
 * cached result.
 */
export function freshnessWithoutAge({ mustRun, onlyIfCached }: FreshnessDemand): FreshnessDemand {
  return { ...anyFreshness, onlyIfCached, mustRun };
}
