import type { ServiceError } from '../core/errors.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';

/**
 * Whether the audit trail counts the error as a refused call: 401, 403, and 404 of an endpoint if the token may call
 * only some endpoints, because such a token cannot learn whether others exist.
 */
export function isRefusal({ status, code }: ServiceError, token: AuthenticatedToken | null): boolean {
  if (status === 401 || status === 403) return true;
  return code === 'endpoint.unknown' && token !== null && !token.scopes.some(({ kind }) => kind === 'query');
}
