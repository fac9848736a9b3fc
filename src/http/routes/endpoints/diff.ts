import { versionOf } from '../../urlOptions.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Compares two versions. */
export const diffEndpoint = managedRoute({
  operation: 'endpoints.diff',
  methods: ['GET'],
  path: '/api/endpoints/:id/diff',
  urlParameters: ['from', 'to'],
  summary:
    'Compares the versions `from` and `to` (default: the last two): query, parameters, columns, settings, and changes that break callers.',
  async handle({ pathParts, options, services }, token) {
    const id = pathParts.id ?? '';
    const [before, after] = [versionOf(options, 'from'), versionOf(options, 'to')];
    const { from, to, diff } = await services.manage.diff(id, before, after, token.publicId);
    return managedAnswer({ id: to.id, name: to.name, from: from.version, to: to.version, ...diff });
  },
});
