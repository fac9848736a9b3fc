import { ServiceError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { nearestName } from '../core/nearestName.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { allows, permission, requireQuery } from '../tokens/permission.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';

/** What decides who may call an endpoint, and what it can be suggested as. */
export type ListedEndpoint = Pick<CallableEndpoint, 'id' | 'name' | 'service'>;

/** Where current definitions are found; answers from memory. */
export interface EndpointFinder {
  findById(id: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  /** Of those that share a name, the primary one. */
  findByName(name: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  /** That version of an endpoint that is there. */
  findVersion(id: string, version: number, nowMicros: number): Promise<CallableEndpoint | undefined>;
  list(nowMicros: number): Promise<readonly ListedEndpoint[]>;
  /**
   * Stands for everything that the others find at this moment: the same object until something changes.
   * Undefined where that cannot be told without waiting.
   */
  revision(nowMicros: number): object | undefined;
}

type CallingToken = Pick<AuthenticatedToken, 'scopes' | 'restrictions'>;

/**
 * The definition that a path segment means (contract, section 1, "path segment"): a UUID is an id,
 * anything else a name. One that this token may not call is answered as if it did not exist; a
 * token that may call none of the declared ones is told only that, so that it learns no names.
 */
export async function findEndpoint(
  idOrName: string,
  token: CallingToken,
  endpoints: EndpointFinder,
  nowMicros: number,
): Promise<CallableEndpoint> {
  const endpoint = isUuid(idOrName)
    ? await endpoints.findById(idOrName.toLowerCase(), nowMicros)
    : await endpoints.findByName(idOrName, nowMicros);
  if (endpoint !== undefined && mayCall(endpoint, token)) return endpoint;
  requireQuery(token.scopes);

  const shown = idOrName.slice(0, 128);
  const callable = (await endpoints.list(nowMicros)).filter((each) => mayCall(each, token));
  const nearest = await nearestCallable(shown, callable, token, endpoints, nowMicros);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new ServiceError('endpoint.unknown', `No endpoint "${shown}" can be called with this token.${hint}`, {
    errors: [{ value: shown, ...(nearest === undefined ? {} : { nearest }) }],
  });
}

/**
 * What to write instead: a name only where it means an endpoint that the token may call. Of one that shares
 * its name with a primary out of the token's reach it is the id, as the name would be refused again.
 */
async function nearestCallable(
  shown: string,
  callable: readonly ListedEndpoint[],
  token: CallingToken,
  endpoints: EndpointFinder,
  nowMicros: number,
): Promise<string | undefined> {
  const nearest = nearestName(shown, new Set(callable.flatMap(({ id, name }) => [name, id])));
  const namesake = callable.find(({ name }) => name === nearest);
  if (nearest === undefined || namesake === undefined) return nearest;
  const primary = await endpoints.findByName(nearest, nowMicros);
  return primary !== undefined && mayCall(primary, token) ? nearest : namesake.id;
}

/**
 * Whether the endpoint exists for the token. Endpoints of the service tell of the calls of all projects, so
 * a token that is restricted to some has none of them.
 */
export function mayCall({ id, service }: ListedEndpoint, { scopes, restrictions }: CallingToken): boolean {
  if (service === undefined) return permission(scopes, { kind: 'query', endpointId: id }).kind === 'allowed';
  return allows(scopes, { kind: 'observe' }) && (restrictions?.projects ?? null) === null;
}
