import { bulkBody } from '../../../ingest/bulk/bulkProtocol.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import type { Route, RouteAnswer, RouteCall } from '../../route.ts';
import { ingestCall, requireIngest } from '../events/ingestCall.ts';
import { bulkAnswer } from './bulkAnswer.ts';
import { elasticError } from './elasticError.ts';
import { elasticHeaders } from './elasticHeaders.ts';

const paths = [
  ['elastic.bulk', '/elastic/_bulk'],
  // As Fluent Bit writes it if it names a pipeline.
  ['elastic.bulk_slash', '/elastic/_bulk/'],
  ['elastic.bulk_index', '/elastic/:index/_bulk'],
] as const;

/**
 * Ingests documents from clients of Elasticsearch (docs/guides/sending-events.md, "Elasticsearch"). The index is the
 * source, unless the URL or the header X-Source names one.
 */
export const bulkRoutes: readonly Route[] = paths.map(
  ([operation, path]): Route => ({
    operation,
    methods: ['POST', 'PUT'],
    path,
    urlParameters: 'open',
    takesBody: true,
    mediaType: 'application/json',
    summary: 'Stores the documents of an Elasticsearch _bulk request. Answers for each once it is durable.',
    credential: 'token',
    takesPassword: true,
    codeWhenFull: 'ingest.overloaded',
    bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
    authorise: requireIngest,
    renderError: elasticError,
    handle: acceptBulk,
  }),
);

async function acceptBulk(call: RouteCall, token: AuthenticatedToken): Promise<RouteAnswer> {
  const startMs = performance.now();
  const { protocol, items } = bulkBody(call.pathParts.index);
  const outcomes = await call.services.ingest.acceptEach({ ...ingestCall(call, token), protocol });
  const tookMs = Math.round(performance.now() - startMs);
  return {
    status: 200,
    headers: elasticHeaders,
    body: Buffer.from(await bulkAnswer(items, outcomes, tookMs, call.turns)),
  };
}
