import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route } from '../../route.ts';

/** Drops the cached results of an endpoint (contract, section 5). */
export const purgeEndpoint: Route = {
  operation: 'endpoints.purge',
  methods: ['POST'],
  path: '/api/endpoints/:id/purge',
  summary: 'Drops the cached results of an endpoint, given by its id, on this server; answers how many there were.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireScope(scopes, { kind: 'manage' });
  },
  async handle({ pathParts, services }) {
    return jsonAnswer({ purged: await services.purge(pathParts.id ?? '') }, { 'cache-control': 'no-store' });
  },
};
