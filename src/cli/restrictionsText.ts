import { counted } from '../core/counted.ts';
import type { RestrictionsJson } from '../tokens/restrictions.ts';

/** Summarises a token's restrictions for a table or a sentence; empty if it has none. */
export function restrictionsText(restrictions: RestrictionsJson): string {
  const { projects, redact, parameters, caller_queries, strict_parameters, rate, concurrency } = restrictions;
  const { max_rows, stream_max_rows, networks } = restrictions;
  const parts = [
    projects === undefined ? null : `projects ${projects.join(', ')}`,
    ...Object.entries(parameters ?? {}).map(([name, value]) =>
      typeof value === 'string' ? `${name} locked to ${value}` : `${name} one of ${value.join(', ')}`,
    ),
    redact === true ? 'redacted rows only' : null,
    caller_queries === false ? 'no caller queries' : null,
    strict_parameters === true ? 'no unknown parameters' : null,
    rate === undefined ? null : `${counted(rate.requests, 'request')} in ${rate.seconds} s`,
    concurrency === undefined ? null : `${counted(concurrency, 'query', 'queries')} at once`,
    max_rows === undefined ? null : `at most ${counted(max_rows, 'row')}`,
    stream_max_rows === undefined ? null : `at most ${counted(stream_max_rows, 'row')} in a stream`,
    networks === undefined ? null : `from ${networks.join(', ')}`,
  ];
  return parts.filter((part) => part !== null).join('; ');
}
