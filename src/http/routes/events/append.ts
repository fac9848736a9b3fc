import { ServiceError } from '../../../core/errors.ts';
import { allows } from '../../../tokens/permission.ts';
import { parseUrlEncoded } from '../../queryString.ts';
import { jsonAnswer, oneValue, type Route } from '../../route.ts';

const paths = [
  ['events.append', '/api/logs'],
  ['events.append_short', '/logs'],
  ['events.append_alias', '/api/events'],
] as const;

/** Takes events in (streams.md, "Ingestion"). One operation under the three paths that shippers use. */
export const appendEvents: readonly Route[] = paths.map(
  ([operation, path]): Route => ({
    operation,
    methods: ['POST'],
    path,
    summary: 'Stores a batch of events of one source; answers when they are durable.',
    credential: 'token',
    codeWhenFull: 'ingest.overloaded',
    bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
    authorise({ scopes }) {
      if (scopes.some(({ kind }) => kind === 'ingest' || kind === 'ingest:source')) return;
      throw new ServiceError(
        'auth.scope',
        'This token may not send events: that needs the scope ingest or ingest:source:<name>.',
      );
    },
    async handle({ rawQuery, headers, body, services }, token) {
      const query = parseUrlEncoded(rawQuery, 'query string');
      const answer = await services.ingest.accept({
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
      });
      return jsonAnswer(answer, { 'cache-control': 'no-store' });
    },
  }),
);

/** `strict` is a promise to the sender: a value that is neither true nor false must not be guessed. */
function isTrue(values: readonly string[]): boolean {
  const [value = 'false', ...more] = values.map((each) => each.toLowerCase());
  if (more.length === 0 && (value === 'true' || value === 'false' || value === '')) return value === 'true';
  throw new ServiceError('parameter.invalid', 'The parameter strict must be given once, as true or false.', {
    errors: [{ parameter: 'strict', value: value.slice(0, 64), allowed: ['true', 'false'] }],
  });
}
