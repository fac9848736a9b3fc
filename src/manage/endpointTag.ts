import { ServiceError } from '../core/errors.ts';
import type { EndpointVersion } from '../endpoints/endpointStore.ts';

/** Strong tag of an endpoint as it is now: another one after each change of it, primacy included (RFC 9110, section 8.8.3). */
export function endpointTag({ version, primary }: Pick<EndpointVersion, 'version' | 'primary'>): string {
  return `"${version}.${primary ? 1 : 0}"`;
}

/** The tags of an `If-Match`, or `any` for `*`; null where the request has none. */
export type IfMatch = readonly string[] | 'any' | null;

/** Throws `request.precondition_failed` where the endpoint is not as the request's author saw it (RFC 9110, section 13.1.1). */
export function requireMatch(endpoint: EndpointVersion, ifMatch: IfMatch): void {
  if (ifMatch === null || ifMatch === 'any' || ifMatch.includes(endpointTag(endpoint))) return;
  if (ifMatch.length === 0) {
    throw new ServiceError(
      'request.precondition_failed',
      `If-Match holds weak entity tags only, which match nothing. Send the tag as it was answered, without W/; the endpoint ${endpoint.id} has ${endpointTag(endpoint)} now.`,
      { errors: [{ allowed: [endpointTag(endpoint)] }] },
    );
  }
  throw new ServiceError(
    'request.precondition_failed',
    `The endpoint ${endpoint.id} has been changed: it is at version ${endpoint.version} now, with the entity tag ${endpointTag(endpoint)}. Read it again and repeat the change on what it is now.`,
    { errors: [{ value: ifMatch.join(', ').slice(0, 200), allowed: [endpointTag(endpoint)] }] },
  );
}
