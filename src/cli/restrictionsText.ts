import type { RestrictionsJson } from '../tokens/restrictions.ts';

/** What a token is kept to, in a few words for a table or a sentence; empty where it is kept to nothing. */
export function restrictionsText(restrictions: RestrictionsJson): string {
  const { projects, redact, parameters, caller_queries, strict_parameters, rate, concurrency, max_rows, networks } =
    restrictions;
  const parts = [
    projects === undefined ? null : `projects ${projects.join(', ')}`,
    ...Object.entries(parameters ?? {}).map(([name, value]) =>
      typeof value === 'string' ? `${name} locked to ${value}` : `${name} one of ${value.join(', ')}`,
    ),
    redact === true ? 'redacted rows only' : null,
    caller_queries === false ? 'no queries of its own' : null,
    strict_parameters === true ? 'no unknown parameters' : null,
    rate === undefined ? null : `${rate.requests} requests in ${rate.seconds} s`,
    concurrency === undefined ? null : `${concurrency} queries at once`,
    max_rows === undefined ? null : `${max_rows} rows`,
    networks === undefined ? null : `from ${networks.join(', ')}`,
  ];
  return parts.filter((part) => part !== null).join('; ');
}
