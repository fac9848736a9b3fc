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
 * The freshness that a call gets of rows that are never too old. Forcing a run needs the same scope, and there is nothing to
 * tell if it is ignored.
 */
export function freshnessWithoutAge(
  { mustRun, onlyIfCached }: FreshnessDemand,
  { scopes }: Pick<AuthenticatedToken, 'scopes'>,
): FreshnessDemand {
  return { ...anyFreshness, onlyIfCached, mustRun: mustRun && allows(scopes, { kind: 'query:fresh' }) };
}
