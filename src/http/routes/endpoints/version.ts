import { flagOf, versionNumber } from '../../urlOptions.ts';
import { endpointView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Reads a version by its number. */
export const readVersion = managedRoute({
  operation: 'endpoints.version',
  methods: ['GET'],
  path: '/api/endpoints/:id/versions/:version',
  urlParameters: ['deleted'],
  summary: 'Returns one version of an endpoint with its definition. `deleted=true` selects a deleted endpoint.',
  async handle({ pathParts, options, services }) {
    const version = versionNumber('version', pathParts.version ?? '');
    const from = flagOf(options, 'deleted') ? services.manage.deleted : services.manage;
    return managedAnswer(endpointView(await from.findVersion(pathParts.id ?? '', version)));
  },
});
