import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { ServiceError } from '../core/errors.ts';
import { acceptedCodings, contentCodings } from './contentCoding.ts';
import { jsonType, type Route } from './route.ts';

/**
 * Refuses a request whose `Accept` or `Accept-Encoding` leaves no form to answer in (contract,
 * section 1, "Accept"), before anything is done for it. Only where a path can be read: what changes
 * something is done and answered in JSON whatever the headers say, as a shipper would drop events
 * that were refused for the form of an answer.
 */
export function refuseUnacceptable(route: Pick<Route, 'methods' | 'mediaType'>, headers: IncomingHttpHeaders): void {
  if (!route.methods.includes('GET')) return;
  const type = route.mediaType ?? jsonType;
  const accept = headers.accept?.trim() ?? '';
  if (accept !== '' && new Negotiator({ headers: { accept } }).mediaTypes([type]).length === 0) {
    const [bare = type] = type.split(';');
    throw new ServiceError('request.not_acceptable', `The answer can only be ${bare}, which Accept leaves out.`, {
      errors: [{ value: accept.slice(0, 200), allowed: [bare] }],
    });
  }
  const acceptEncoding = headers['accept-encoding'];
  if (acceptEncoding === undefined || acceptedCodings(acceptEncoding).length > 0) return;
  const allowed = [...contentCodings, 'identity'];
  throw new ServiceError(
    'request.not_acceptable',
    `The answer can be coded as ${allowed.join(', ')}, and Accept-Encoding refuses all of them.`,
    { errors: [{ value: acceptEncoding.slice(0, 200), allowed }] },
  );
}
