import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';

/**
 * The public ID of the token whose queries the caller may list and end; null for all tokens. A token that is restricted
 * to projects or parameter values reaches only its own queries.
 */
export function reachedQueries(token: AuthenticatedToken): string | null {
  return limitsRows(token.restrictions) ? token.publicId : null;
}
