import type { IncomingHttpHeaders } from 'node:http';
import { readBool } from '../../../core/boolText.ts';
import { asServiceError } from '../../../core/errors.ts';
import { isBlank } from '../../../core/isBlank.ts';
import type { Notice } from '../../../googlesql/resolve/tree.ts';
import { noFacts } from '../../../invoke/callFacts.ts';
import type { ParameterEntry } from '../../../invoke/parameterEntry.ts';
import type { ResultStream } from '../../../invoke/streams/openStream.ts';
import { requireCalls } from '../../../tokens/permission.ts';
import { acceptedFormat } from '../../acceptedFormat.ts';
import { cacheHeaders } from '../../cacheHeaders.ts';
import { callParameters } from '../../callParameters.ts';
import { displayHeaders } from '../../displayHeaders.ts';
import { linkHeader } from '../../linkHeader.ts';
import { isNotModified } from '../../preconditions.ts';
import { asyncPreference } from '../../prefer.ts';
import { requestCacheControl } from '../../requestCacheControl.ts';
import { oneValue, type Route, type RouteAnswer, type RouteCall } from '../../route.ts';
import { storeNotice } from '../../storeNotice.ts';
import { StreamBody } from '../../streamBody.ts';
import { answerLater } from '../exports/answerLater.ts';

/** Calls an endpoint by ID or name (contract, section 1). */
export const queryEndpoint: Route = {
  operation: 'endpoints.query',
  methods: ['GET', 'POST'],
  path: '/api/endpoints/query/:idOrName',
  urlParameters: 'open',
  // A call with a blank endpoint is a call of an unknown endpoint (contract, section 1).
  takesBlankParts: true,
  takesBody: true,
  choosesFormat: true,
  summary: 'Runs the stored query of an endpoint, or a caller query over its tables, and returns rows.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireCalls(scopes);
  },
  async handle(call, token) {
    const { headers, services, times } = call;
    const facts = noFacts();
    call.tell(facts);
    const parameters = times.time('parse', () => callParameters(call.rawQuery, headers, call.body));
    const freshness = requestCacheControl(oneValue(headers['cache-control']));
    const accepted = namesFormat(parameters) ? 'json' : acceptedFormat(headers.accept);
    const asked = {
      token,
      accepted,
      idOrName: call.pathParts.idOrName ?? '',
      parameters,
      ...displayHeaders(call),
      freshness: freshness.demand,
      notices: [
        ...(call.method === 'GET' && announcesBody(headers) ? [bodyIgnored] : []),
        ...freshness.notices,
        ...storeNotice(services.storeContact()),
      ],
      requestId: call.requestId,
      times,
      facts,
    };
    const preference = asyncPreference(oneValue(headers.prefer));
    if (preference !== null && call.received.method !== 'HEAD' && !asksForDryRun(parameters)) {
      return answerLater(call, asked, preference);
    }
    const answer = await services.invoke({
      ...asked,
      signal: call.signal,
      hold: call.hold,
      transport: {
        showsEnd: call.received.httpVersion !== '1.0',
        isHead: call.received.method === 'HEAD',
        authenticateAgain: call.authenticateAgain,
      },
    });
    if (answer.stream !== undefined) return sendStream(answer.stream, call);
    const { body, rows, links, repeatable } = answer;
    const answerHeaders = {
      ...answer.headers,
      'cache-control': 'no-store',
      ...(rows === null ? {} : cacheHeaders(rows.entityTag, rows.cache)),
      ...(links === null || call.method !== 'GET' ? {} : linkHeader(call.rawQuery, links)),
    };
    facts.bytes = body.length;
    const repetition = repeatable === null ? {} : { repeatable };
    // The answer to a POST is not a representation that a client can revalidate.
    if (rows !== null && call.method !== 'POST' && isNotModified(headers['if-none-match'], rows.entityTag)) {
      facts.bytes = 0;
      return { status: 304, headers: withoutBody(answerHeaders), body: undefined, ...repetition };
    }
    // Repetitions share the body up to the end. The length of the end does not depend on the time.
    const endBytes = repeatable === null ? 0 : repeatable.endOf({ asOfMicros: 0 }, call.requestId).length;
    return { status: 200, headers: answerHeaders, body, endBytes, ...repetition };
  },
};

/** Sends a stream while it is written. */
function sendStream(stream: ResultStream, { headers, signal, received }: RouteCall): RouteAnswer {
  // Nobody knows the length that a GET has.
  if (received.method === 'HEAD') return { status: 200, headers: stream.headers, body: undefined, isStream: true };
  const body = new StreamBody(oneValue(headers['accept-encoding']));
  stream.send(body).then(
    () => body.end(),
    (error: unknown) => body.breakOff(asServiceError(error)),
  );
  signal.addEventListener('abort', () => body.breakOff(asServiceError(signal.reason)), { once: true });
  return {
    status: 200,
    headers: { ...stream.headers, ...(body.coding === 'gzip' ? { 'content-encoding': 'gzip' } : {}) },
    body: body.readable,
    isStream: true,
  };
}

/** Whether the call names its format, which takes precedence over `Accept`. */
function namesFormat(parameters: readonly ParameterEntry[]): boolean {
  return parameters.some(([name, value, list]) => name === 'format' && (list !== undefined || !isBlank(value)));
}

/** Whether the call may be a dry run, which is answered at once. */
function asksForDryRun(parameters: readonly ParameterEntry[]): boolean {
  return parameters.some(([name, value]) => name === 'dry_run' && readBool(value) !== false);
}

/** The headers of a 304, which has no body to describe. */
function withoutBody({ 'content-type': _type, ...headers }: RouteAnswer['headers']): RouteAnswer['headers'] {
  return headers;
}

/** A body of a GET has no meaning (RFC 9110, section 9.3.1), but its client probably intended one. */
const bodyIgnored: Notice = {
  code: 'request.body_ignored',
  message: 'The body of a GET is ignored. Send the parameters in the URL, or use POST.',
};

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
