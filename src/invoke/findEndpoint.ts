import { ServiceError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { nearestName } from '../core/nearestName.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { permission, requireQuery } from '../tokens/permission.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';

/** Where current definitions are found; answers from memory. */
export interface EndpointFinder {
  findById(id: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  /** Of those that share a name, the primary one. */
  findByName(name: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  list(nowMicros: number): Promise<readonly Pick<CallableEndpoint, 'id' | 'name'>[]>;
}

/**
 * The definition that a path segment means (contract, section 1, "path segment"): a UUID is an id,
 * anything else a name. One that this token may not call is answered as if it did not exist; a
 * token that may call none is refused before anything is looked for, so that it learns no names.
 */
export async function findEndpoint(
  idOrName: string,
  token: Pick<AuthenticatedToken, 'scopes'>,
  endpoints: EndpointFinder,
  nowMicros: number,
): Promise<CallableEndpoint> {
  requireQuery(token.scopes);
  const mayCall = (id: string) => permission(token.scopes, { kind: 'query', endpointId: id }).kind === 'allowed';
  const endpoint = isUuid(idOrName)
    ? await endpoints.findById(idOrName.toLowerCase(), nowMicros)
    : await endpoints.findByName(idOrName, nowMicros);
  if (endpoint !== undefined && mayCall(endpoint.id)) return endpoint;

  const shown = idOrName.slice(0, 128);
  const callable = (await endpoints.list(nowMicros)).filter(({ id }) => mayCall(id));
  const nearest = nearestName(shown, new Set(callable.flatMap(({ id, name }) => [name, id])));
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new ServiceError('endpoint.unknown', `No endpoint "${shown}" can be called with this token.${hint}`, {
    errors: [{ value: shown, ...(nearest === undefined ? {} : { nearest }) }],
  });
}
