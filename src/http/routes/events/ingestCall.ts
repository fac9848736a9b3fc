import { readBool } from '../../../core/boolText.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { IngestCall } from '../../../ingest/ingest.ts';
import type { ParameterEntry } from '../../../invoke/parameterEntry.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { allows } from '../../../tokens/permission.ts';
import { parseUrlEncoded } from '../../queryString.ts';
import { oneValue, type RouteCall } from '../../route.ts';
import { requireValue } from '../../urlOptions.ts';

/** Refuses a token that may send events to no source. */
export function requireIngest({ scopes }: AuthenticatedToken): void {
  if (scopes.some(({ kind }) => kind === 'ingest' || kind === 'ingest:source')) return;
  throw new ServiceError(
    'auth.scope',
    'This token may not send events: that needs the scope ingest or ingest:source:<name>.',
  );
}

/** What a request and its token say of a batch of events (streams.md, "Ingestion"), whatever its body is. */
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
 * Shippers send parameters of all sorts, which are passed over. Not so those that say what is to be stored where: one of
 * ours that is blank, and `dry_run` in any spelling, which would store the events all the same.
 */
function refuseMeant(query: readonly ParameterEntry[]): void {
  for (const [name, value] of query) {
    if (ownParameters.has(name)) requireValue(name, value);
    if (name.toLowerCase().replaceAll(/[^a-z]/g, '') !== 'dryrun') continue;
    const parameter = name.slice(0, 64);
    throw new ServiceError('parameter.unknown', `Events cannot be sent with ${parameter}; nothing was stored.`, {
      errors: [{ parameter, allowed: [...ownParameters] }],
    });
  }
}

const ownParameters: ReadonlySet<string> = new Set(['source', 'source_name', 'strict']);

/** `strict` is a promise to the sender: a value that is neither true nor false must not be guessed. */
function isStrict(query: readonly ParameterEntry[]): boolean {
  const [value = 'false', ...more] = query.flatMap(([name, given]) => (name === 'strict' ? [given] : []));
  const flag = readBool(value);
  if (more.length === 0 && flag !== undefined) return flag;
  throw new ServiceError('parameter.invalid', 'The parameter strict must be given once, as true or false.', {
    errors: [{ parameter: 'strict', value: value.slice(0, 64), allowed: ['true', 'false'] }],
  });
}
