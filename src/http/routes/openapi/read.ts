import { ServiceError } from '../../../core/errors.ts';
import { isNotModified } from '../../preconditions.ts';
import { jsonType, oneValue, type Route } from '../../route.ts';

/** Returns the OpenAPI document of what the token may call (contract, section 3: the declarations give OpenAPI). */
export const readOpenApi: Route = {
  operation: 'openapi.read',
  methods: ['GET'],
  path: '/openapi.json',
  urlParameters: 'open',
  summary:
    'Returns the API in OpenAPI 3.1, with one operation for each endpoint. It contains only what the token may call.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    if (scopes.length > 0) return;
    throw new ServiceError('auth.scope', 'This token has no scope, so it may not call anything.');
  },
  async handle({ headers, services }, token) {
    const { body, entityTag } = await services.api.read(token, services.clock.nowMicros());
    const answerHeaders = { etag: entityTag, 'cache-control': 'private, no-cache' };
    if (isNotModified(oneValue(headers['if-none-match']), entityTag)) {
      return { status: 304, headers: answerHeaders, body: undefined };
    }
    return { status: 200, headers: { 'content-type': jsonType, ...answerHeaders }, body };
  },
};
