import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';

/**
 * Whose queries the token may look at and end: those of one token, or null for all. A token that is
 * restricted to projects or to values of parameters learns nothing of what others do; only its own queries exist for it.
 */
export function reachedQueries(token: AuthenticatedToken): string | null {
  return limitsRows(token.restrictions) ? token.publicId : null;
}
