import { ServiceError } from '../core/errors.ts';
import { redactHeaderName, valuesHeaderName } from './headerTable.ts';

/** Headers that hold one value and would otherwise be cut to the first or joined to something else. */
const singular = ['host', 'authorization', 'content-type', 'content-encoding', 'idempotency-key', 'x-source', 'origin'];

/** Names of the headers that a request carries once at most, in lower case. */
export function singularHeaders(headerPrefix: string): ReadonlySet<string> {
  return new Set([
    ...singular,
    redactHeaderName(headerPrefix).toLowerCase(),
    valuesHeaderName(headerPrefix).toLowerCase(),
  ]);
}

/**
 * Refuses a request that carries one of these headers twice: a proxy before the service may have
 * looked at the other one, and a redaction asked for twice must not be none.
 *
 * @param rawHeaders names and values in turn, as received
 */
export function refuseRepeatedHeaders(rawHeaders: readonly string[], once: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!once.has(name)) continue;
    if (seen.has(name)) {
      throw new ServiceError('request.malformed', `The header ${name} stands more than once; send it once.`);
    }
    seen.add(name);
  }
}
