import { ServiceError } from '../core/errors.ts';
import type { EndpointVersion } from '../endpoints/endpointStore.ts';

/** The strong tag of an endpoint (RFC 9110, section 8.8.3). It changes with each version and when `primary` changes. */
export function endpointTag({ version, primary }: Pick<EndpointVersion, 'version' | 'primary'>): string {
  return `"${version}.${primary ? 1 : 0}"`;
}

/** The tags of an `If-Match`, or `any` for `*`; null without the header. */
export type IfMatch = readonly string[] | 'any' | null;

/** Throws `request.precondition_failed` if the endpoint changed since the client read it (RFC 9110, section 13.1.1). */
export function requireMatch(endpoint: EndpointVersion, ifMatch: IfMatch): void {
  if (ifMatch === null || ifMatch === 'any' || ifMatch.includes(endpointTag(endpoint))) return;
  if (ifMatch.length === 0) {
    throw new ServiceError(
      'request.precondition_failed',
      `If-Match has only weak entity tags, which match nothing. Send the tag without W/; the endpoint ${endpoint.id} now has ${endpointTag(endpoint)}.`,
      { errors: [{ allowed: [endpointTag(endpoint)] }] },
    );
  }
  throw new ServiceError(
    'request.precondition_failed',
    `The endpoint ${endpoint.id} was changed meanwhile: it now has version ${endpoint.version} and the entity tag ${endpointTag(endpoint)}. Read it again, and repeat your change.`,
    { errors: [{ value: ifMatch.join(', ').slice(0, 200), allowed: [endpointTag(endpoint)] }] },
  );
}
