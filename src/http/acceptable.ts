import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { ServiceError } from '../core/errors.ts';
import { acceptedCodings, contentCodings } from './contentCoding.ts';
import { jsonType, type Route } from './route.ts';

/**
 * Refuses a request whose `Accept` or `Accept-Encoding` allows no form of the answer (contract, section 1,
 * "Accept"). This applies only to paths with GET. Changes are always made and answered in JSON, because a shipper
 * would drop events that were refused for the form of an answer.
 */
export function refuseUnacceptable(
  route: Pick<Route, 'methods' | 'mediaType' | 'ignoresAccept' | 'choosesFormat'>,
  headers: IncomingHttpHeaders,
): void {
  if (!route.methods.includes('GET') || route.ignoresAccept === true) return;
  const type = route.mediaType ?? jsonType;
  const accept = headers.accept?.trim() ?? '';
  if (
    route.choosesFormat !== true &&
    accept !== '' &&
    new Negotiator({ headers: { accept } }).mediaTypes([type]).length === 0
  ) {
    const [bare = type] = type.split(';');
    throw new ServiceError('request.not_acceptable', `Accept must allow ${bare}, the only form of this answer.`, {
      errors: [{ value: accept.slice(0, 200), allowed: [bare] }],
    });
  }
  const acceptEncoding = headers['accept-encoding'];
  if (acceptEncoding === undefined || acceptedCodings(acceptEncoding).length > 0) return;
  const allowed = [...contentCodings, 'identity'];
  throw new ServiceError(
    'request.not_acceptable',
    `Accept-Encoding refuses every coding of the answer; allow at least one of ${allowed.join(', ')}.`,
    { errors: [{ value: acceptEncoding.slice(0, 200), allowed }] },
  );
}
