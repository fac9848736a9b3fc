import { ServiceError } from '../core/errors.ts';

/**
 * Refuses a body that the operation would not read, because a `dry_run` in it would be ignored. White space and `{}`,
 * which some clients always send, are allowed. Throws `request.malformed`.
 */
export function refuseBody(body: Buffer): void {
  if (/^\s*(?:\{\s*\}\s*)?$/.test(body.subarray(0, 64).toString('latin1')) && body.length <= 64) return;
  throw new ServiceError(
    'request.malformed',
    'The request has a body, but this operation does not read one. Put the parameters in the URL.',
  );
}
