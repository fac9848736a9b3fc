import { anyFreshness } from '../../../cache/freshnessDemand.ts';
import { ServiceError } from '../../../core/errors.ts';
import { isJsonObject, memberNames, memberOf } from '../../../core/jsonValue.ts';
import { noFacts } from '../../../invoke/callFacts.ts';
import { displayHeaders } from '../../displayHeaders.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { jsonParametersOf } from '../../jsonParameters.ts';
import { storeNotice } from '../../storeNotice.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Runs a definition without storing it. */
export const runEndpoint = managedRoute({
  operation: 'endpoints.run',
  methods: ['POST'],
  path: '/api/endpoints/run',
  urlParameters: [],
  takesBody: true,
  summary:
    'Runs a definition without storing it: `{"definition": {…}, "parameters": {…}}`. Answers like `endpoints.query`. Also needs the scope `query`.',
  async handle(call, token) {
    const { services } = call;
    const body = await readJsonBody(call);
    const others = isJsonObject(body) ? memberNames(body).filter((name) => !members.includes(name)) : [];
    const definition = isJsonObject(body) ? memberOf(body, 'definition') : undefined;
    if (!isJsonObject(body) || definition === undefined || others.length > 0) {
      throw new ServiceError(
        'request.malformed',
        'The body must be an object with a definition and, if it needs any, parameters: {"definition": {…}, "parameters": {…}}.',
      );
    }
    const answer = await services.runDraft(await services.manage.readDraft(plainJson(definition), token.publicId), {
      token,
      parameters: jsonParametersOf(memberOf(body, 'parameters') ?? {}),
      ...displayHeaders(call),
      freshness: anyFreshness,
      notices: storeNotice(services.storeContact()),
      requestId: call.requestId,
      signal: call.signal,
      hold: call.hold,
      times: call.times,
      // Not reported, because a draft has no endpoint under which its calls could be found.
      facts: noFacts(),
    });
    const { headers: formHeaders, body: rows } = answer;
    return { ...managedAnswer(null, formHeaders), body: rows };
  },
});

const members = ['definition', 'parameters'];
