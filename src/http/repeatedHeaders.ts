import { ServiceError } from '../core/errors.ts';
import { redactHeaderName, valuesHeaderName } from './headerTable.ts';

/** Headers with one value. Node would keep only the first, or join several. */
const singular = ['host', 'authorization', 'content-type', 'content-encoding', 'idempotency-key', 'x-source', 'origin'];

/** Lower-case names of the headers that a request may have only once. */
export function singularHeaders(headerPrefix: string): ReadonlySet<string> {
  return new Set([
    ...singular,
    redactHeaderName(headerPrefix).toLowerCase(),
    valuesHeaderName(headerPrefix).toLowerCase(),
  ]);
}

/**
 * Refuses a request that has one of these headers twice: a proxy may have read the other one, and two redaction headers
 * must not cancel each other.
 *
 * @param rawHeaders alternating names and values, as received
 */
export function refuseRepeatedHeaders(rawHeaders: readonly string[], once: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!once.has(name)) continue;
    if (seen.has(name)) {
      throw new ServiceError('request.malformed', `The request has the header ${name} more than once; send it once.`);
    }
    seen.add(name);
  }
}
