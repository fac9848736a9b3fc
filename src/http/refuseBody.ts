import { ServiceError } from '../core/errors.ts';

/**
 * Refuses the body of an operation that reads none: a bound or a `dry_run` in it would be passed over. White space and
 * `{}`, which some clients send with every request, say nothing. Throws `request.malformed`.
 */
export function refuseBody(body: Buffer): void {
  if (/^\s*(?:\{\s*\}\s*)?$/.test(body.subarray(0, 64).toString('latin1')) && body.length <= 64) return;
  throw new ServiceError(
    'request.malformed',
    'This operation reads no body, and the request has one. Its parameters belong in the URL.',
  );
}
