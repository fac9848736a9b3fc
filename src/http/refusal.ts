import type { ServiceError } from '../core/errors.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';

/**
 * Whether a call was refused for who makes it, as the audit trail counts them: 401, 403, and 404 for an
 * endpoint to a token that may call only some, which is told nothing of others.
 */
export function isRefusal({ status, code }: ServiceError, token: AuthenticatedToken | null): boolean {
  if (status === 401 || status === 403) return true;
  return code === 'endpoint.unknown' && token !== null && !token.scopes.some(({ kind }) => kind === 'query');
}
