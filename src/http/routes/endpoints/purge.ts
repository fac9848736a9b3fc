import { requireScope } from '../../../tokens/permission.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import { jsonAnswer, type Route } from '../../route.ts';

/** Drops the cached results of an endpoint (contract, section 5). */
export const purgeEndpoint: Route = {
  operation: 'endpoints.purge',
  methods: ['POST'],
  path: '/api/endpoints/:id/purge',
  urlParameters: [],
  summary:
    'Drops the cached results of an endpoint on this server. Returns how many there were, or null to a token restricted to projects. The path takes an ID only.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireScope(scopes, { kind: 'manage' });
  },
  async handle({ pathParts, requestId, services }, token) {
    const id = pathParts.id ?? '';
    const purged = await services.purge(id);
    await services.audit.record({
      atMicros: services.clock.nowMicros(),
      actor: token.publicId,
      action: 'cache.purge',
      target: id.toLowerCase(),
      version: null,
      requestId,
    });
    // The count would reveal calls of other projects.
    const told = limitsRows(token.restrictions) ? null : purged;
    return jsonAnswer({ purged: told }, { 'cache-control': 'no-store' });
  },
};
