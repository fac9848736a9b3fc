import { ServiceError } from '../../../core/errors.ts';
import { isDiskFull } from '../../../core/isDiskFull.ts';

/**
 * Throws the error of a write, or `service.disk_full` if the node has no room: that is not the fault of a server, so no other
 * one must be asked.
 */
export function unlessFull(cause: unknown): never {
  if (!isDiskFull(cause)) throw cause;
  throw new ServiceError(
    'service.disk_full',
    'The disk of the service has no room for the events that the query fetches. Try again later, or narrow its time range.',
    { cause, retryAfterSeconds: 10 },
  );
}
