import { ServiceError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { nearestName } from '../core/nearestName.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { allows, permission, requireQuery } from '../tokens/permission.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';

/** The members that decide whether a token may call an endpoint, and that suggestions use. */
export type ListedEndpoint = Pick<CallableEndpoint, 'id' | 'name' | 'service'>;

/** Finds current definitions in memory. */
export interface EndpointFinder {
  findById(id: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  /** Among endpoints that share a name, finds the primary one. */
  findByName(name: string, nowMicros: number): Promise<CallableEndpoint | undefined>;
  /** Finds a version of an existing endpoint. */
  findVersion(id: string, version: number, nowMicros: number): Promise<CallableEndpoint | undefined>;
  list(nowMicros: number): Promise<readonly ListedEndpoint[]>;
  /**
   * Identifies the current state of all lookups: the same object until something changes. Undefined if that cannot be
   * determined synchronously.
   */
  revision(nowMicros: number): object | undefined;
}

type CallingToken = Pick<AuthenticatedToken, 'scopes' | 'restrictions'>;

/**
 * Finds the definition for a path segment (contract, section 1, "path segment"): a UUID is an ID, anything else a name.
 * An endpoint that the token may not call is answered as if it did not exist. A token that may call no declared
 * endpoint learns no names.
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
 * The nearest name or ID that the token may call. Returns the ID if the name belongs to a primary endpoint that the token
 * may not call, because the name would be refused again.
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
 * Whether the token may call the endpoint. Service endpoints show calls of all projects, so project-restricted tokens
 * cannot call them.
 */
export function mayCall({ id, service }: ListedEndpoint, { scopes, restrictions }: CallingToken): boolean {
  if (service === undefined) return permission(scopes, { kind: 'query', endpointId: id }).kind === 'allowed';
  return allows(scopes, { kind: 'observe' }) && (restrictions?.projects ?? null) === null;
}
