import { ServiceError } from '../../../core/errors.ts';
import type { IngestCall } from '../../../ingest/ingest.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { allows } from '../../../tokens/permission.ts';
import { parseUrlEncoded } from '../../queryString.ts';
import { oneValue, type RouteCall } from '../../route.ts';

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
    strict: isTrue(query.filter(([name]) => name === 'strict').map(([, value]) => value)),
  };
}

/** `strict` is a promise to the sender: a value that is neither true nor false must not be guessed. */
function isTrue(values: readonly string[]): boolean {
  const [value = 'false', ...more] = values.map((each) => each.toLowerCase());
  if (more.length === 0 && (value === 'true' || value === 'false' || value === '')) return value === 'true';
  throw new ServiceError('parameter.invalid', 'The parameter strict must be given once, as true or false.', {
    errors: [{ parameter: 'strict', value: value.slice(0, 64), allowed: ['true', 'false'] }],
  });
}
