import { endpointView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';
import { urlOptions, versionNumber } from './urlOptions.ts';

/** An old version, or the current one by its number. */
export const readVersion = managedRoute({
  operation: 'endpoints.version',
  methods: ['GET'],
  path: '/api/endpoints/:id/versions/:version',
  summary: 'One version of an endpoint with its definition.',
  async handle({ pathParts, rawQuery, services }) {
    urlOptions(rawQuery, []);
    const version = versionNumber('version', pathParts.version ?? '');
    return managedAnswer(endpointView(await services.manage.findVersion(pathParts.id ?? '', version)));
  },
});
