import { readBool } from '../../../core/boolText.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { IngestCall } from '../../../ingest/ingest.ts';
import type { ParameterEntry } from '../../../invoke/parameterEntry.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { allows } from '../../../tokens/permission.ts';
import { parseUrlEncoded } from '../../queryString.ts';
import { oneValue, type RouteCall } from '../../route.ts';
import { requireValue } from '../../urlOptions.ts';

/** Refuses a token that may not send events to any source. */
export function requireIngest({ scopes }: AuthenticatedToken): void {
  if (scopes.some(({ kind }) => kind === 'ingest' || kind === 'ingest:source')) return;
  throw new ServiceError(
    'auth.scope',
    'This token may not send events; it needs the scope ingest or ingest:source:<name>.',
  );
}

/** Reads everything about a batch except its events from the request and its token (streams.md, "Ingestion"). */
export function ingestCall({ rawQuery, headers, body }: RouteCall, token: AuthenticatedToken): IngestCall {
  const query = parseUrlEncoded(rawQuery, 'query string');
  refuseMeant(query);
  return {
    tokenId: token.publicId,
    maySend: (source) => allows(token.scopes, { kind: 'ingest', source }),
    projects: token.restrictions?.projects ?? null,
    sourceCandidates: [
      ...query
        .filter(([name]) => name === 'source_name' || name === 'source')
        .map(([name, value]) => ({ place: `the query parameter ${name}`, name: value })),
      { place: 'the header X-Source', name: oneValue(headers['x-source']) ?? '' },
    ],
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    body,
    idempotencyKey: oneValue(headers['idempotency-key']),
    strict: isStrict(query),
  };
}

/**
 * Refuses blank values of our own parameters, and `dry_run` in any spelling, because the events would be stored anyway.
 * Other parameters, which some shippers send, are ignored.
 */
function refuseMeant(query: readonly ParameterEntry[]): void {
  for (const [name, value] of query) {
    if (ownParameters.has(name)) requireValue(name, value);
    if (name.toLowerCase().replaceAll(/[^a-z]/g, '') !== 'dryrun') continue;
    const parameter = name.slice(0, 64);
    throw new ServiceError('parameter.unknown', `Ingestion has no parameter ${parameter}; nothing was stored.`, {
      errors: [{ parameter, allowed: [...ownParameters] }],
    });
  }
}

/** URL parameters of every operation that takes events, except webhooks. */
export const ingestParameters = ['source', 'source_name', 'strict'] as const;

const ownParameters: ReadonlySet<string> = new Set(ingestParameters);

/** Senders rely on `strict`, so a value that is neither true nor false is refused. */
function isStrict(query: readonly ParameterEntry[]): boolean {
  const [value = 'false', ...more] = query.flatMap(([name, given]) => (name === 'strict' ? [given] : []));
  const flag = readBool(value);
  if (more.length === 0 && flag !== undefined) return flag;
  throw new ServiceError('parameter.invalid', 'The parameter strict must occur once, as true or false.', {
    errors: [{ parameter: 'strict', value: value.slice(0, 64), allowed: ['true', 'false'] }],
  });
}
