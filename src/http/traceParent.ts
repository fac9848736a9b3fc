import type { TraceContext } from '../core/observation.ts';

const version00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Later versions: the known fields are read, and further ones are ignored. */
const later = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/**
 * The span that a request belongs to, from its header `traceparent` (W3C Trace Context, section 3.2). Undefined if the
 * header is missing or not valid; the request is then part of no trace.
 */
export function traceParent(header: string | readonly string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId = '', spanId = '', flags = ''] = version00.exec(header) ?? later.exec(header) ?? [];
  return /[^0]/.test(traceId) && /[^0]/.test(spanId)
    ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
    : undefined;
}
