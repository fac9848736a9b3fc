import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route } from '../../route.ts';
import { reachedQueries } from './reachedQueries.ts';

/** Ends a query. Its callers get `query.killed` (contract, section 7). */
export const killQuery: Route = {
  operation: 'queries.kill',
  methods: ['DELETE'],
  path: '/api/queries/:id',
  urlParameters: [],
  summary: 'Stops a query that waits or runs on any node. Its callers get `query.killed`.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireScope(scopes, { kind: 'manage' });
  },
  async handle({ pathParts, requestId, services }, token) {
    const id = pathParts.id ?? '';
    await services.queries.kill(id, reachedQueries(token), token.publicId);
    await services.audit.record({
      atMicros: services.clock.nowMicros(),
      actor: token.publicId,
      action: 'query.kill',
      target: id.toLowerCase(),
      version: null,
      requestId,
    });
    return jsonAnswer({ killed: id.toLowerCase() }, { 'cache-control': 'no-store' });
  },
};
