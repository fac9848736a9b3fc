import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { EndpointFinder } from './findEndpoint.ts';

/** Drops the cached results of the endpoint with this ID and returns their number. Throws `endpoint.unknown`. */
export type Purge = (id: string) => Promise<number>;

export function createPurge(
  endpoints: Pick<EndpointFinder, 'findById'>,
  cache: Pick<CachePurge, 'purge'>,
  clock: Clock,
): Purge {
  return async (id) => {
    const endpoint = await endpoints.findById(id.toLowerCase(), clock.nowMicros());
    if (endpoint !== undefined) return await cache.purge(endpoint.id);
    const value = id.slice(0, 128);
    throw new ServiceError('endpoint.unknown', `There is no endpoint with the ID "${value}".`, { errors: [{ value }] });
  };
}
