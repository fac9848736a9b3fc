import { ServiceError } from '../../../core/errors.ts';
import type { IngestCall } from '../../../ingest/ingest.ts';
import type { IngestAnswer } from '../../../ingest/ingestAnswer.ts';
import { lokiProtocol } from '../../../ingest/loki/lokiProtocol.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { jsonAnswer, oneValue, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';
import { ingestCall, requireIngest } from '../events/ingestCall.ts';
import { pushProblem } from './pushProblem.ts';

/** Ingests log lines from Loki clients (docs/guides/sending-events.md, "Loki"). */
export const pushToLoki: Route = {
  operation: 'loki.push',
  methods: ['POST'],
  path: '/loki/api/v1/push',
  urlParameters: 'open',
  takesBody: true,
  summary: 'Stores log lines of Loki clients, in protobuf or JSON. Answers once they are durable.',
  credential: 'token',
  takesPassword: true,
  codeWhenFull: 'ingest.overloaded',
  bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
  authorise: requireIngest,
  renderError: pushProblem,
  async handle(call, token) {
    return pushAnswer(await call.services.ingest.accept(pushCall(call, token)));
  },
};

/** Loki's names for what our own protocol has: the tenant is the project, and Snappy may be named as the coding. */
function pushCall(call: RouteCall, token: AuthenticatedToken): IngestCall {
  const tenant = oneValue(call.headers['x-scope-orgid'])?.trim();
  if (tenant?.includes('|') === true) {
    throw new ServiceError('request.malformed', 'X-Scope-OrgID names several tenants; a push belongs to one.');
  }
  const { contentEncoding, ...rest } = ingestCall(call, token);
  const isSnappy = contentEncoding?.trim().toLowerCase() === 'snappy' && !isJson(rest.contentType);
  return {
    ...rest,
    contentEncoding: isSnappy ? undefined : contentEncoding,
    protocol: lokiProtocol(tenant === '' ? undefined : tenant),
  };
}

function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/json\b/i.test(contentType ?? '');
}

/**
 * 204 if every line was stored, as Loki answers. If some were rejected, 200 with what was: the rest is stored, and
 * clients repeat a push, or give it up as a whole, after any other status.
 */
function pushAnswer(answer: IngestAnswer): RouteAnswer {
  if (answer.rejected.length === 0 && answer.rejected_total === undefined) {
    return { status: 204, headers: { 'cache-control': 'no-store' }, body: undefined };
  }
  return jsonAnswer(answer, { 'cache-control': 'no-store' });
}
