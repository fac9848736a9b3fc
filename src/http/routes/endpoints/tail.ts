import Negotiator from 'negotiator';
import { ServiceError } from '../../../core/errors.ts';
import { noFacts } from '../../../invoke/callFacts.ts';
import { type TailFormat, tailFormatNames, tailFormats } from '../../../invoke/tail/tailFormat.ts';
import { requireCalls } from '../../../tokens/permission.ts';
import { callParameters } from '../../callParameters.ts';
import { displayHeaders } from '../../displayHeaders.ts';
import { oneValue, type Route } from '../../route.ts';
import { storeNotice } from '../../storeNotice.ts';
import { requireValue } from '../../urlOptions.ts';

/** Parameters of the operation itself. */
export const tailParameters = ['format', 'last_event_id'] as const;

const own: ReadonlySet<string> = new Set(tailParameters);

/** Sends the rows of new events for as long as the caller stays. */
export const tailEndpoint: Route = {
  operation: 'endpoints.tail',
  methods: ['GET'],
  path: '/api/endpoints/tail/:idOrName',
  urlParameters: 'open',
  choosesFormat: true,
  mediaType: tailFormats.sse.mediaType,
  summary: 'Sends the rows that new events add to the result of an endpoint, as Server-Sent Events or NDJSON.',
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
    for (const [name, value] of parameters) if (own.has(name)) requireValue(name, value);
    const namesForm = parameters.some(([name]) => name === 'format');
    const tail = await services.prepareTail({
      token,
      idOrName: call.pathParts.idOrName ?? '',
      parameters,
      accepted: namesForm ? 'sse' : acceptedForm(headers.accept),
      lastEventId: oneValue(headers['last-event-id'])?.trim() || null,
      ...displayHeaders(call),
      notices: storeNotice(services.storeContact()),
      requestId: call.requestId,
      signal: call.signal,
      times,
      facts,
      authenticateAgain: call.authenticateAgain,
    });
    const body = call.received.method === 'HEAD' ? undefined : await tail.open();
    // The caller may have left before the answer begins, or may leave at any time.
    if (call.signal.aborted) body?.destroy();
    else call.signal.addEventListener('abort', () => body?.destroy(), { once: true });
    return {
      status: 200,
      headers: {
        'content-type': tailFormats[tail.format].mediaType,
        // Neither caches nor proxies may hold rows back.
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
      body,
    };
  },
};

/** The form that `Accept` prefers. Throws `request.not_acceptable` if it allows none. */
function acceptedForm(accept = ''): TailFormat {
  if (accept.trim() === '') return 'sse';
  const types = tailFormatNames.map((form) => tailFormats[form].mediaType);
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(types);
  const form = tailFormatNames.find((each) => tailFormats[each].mediaType === best);
  if (form !== undefined) return form;
  throw new ServiceError('request.not_acceptable', `Accept must allow one of ${types.join(', ')}.`, {
    errors: [{ value: accept.slice(0, 200), allowed: types }],
  });
}
