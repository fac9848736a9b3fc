import { versionNumber } from '../../urlOptions.ts';
import { endpointView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** An old version, or the current one by its number. */
export const readVersion = managedRoute({
  operation: 'endpoints.version',
  methods: ['GET'],
  path: '/api/endpoints/:id/versions/:version',
  urlParameters: [],
  summary: 'One version of an endpoint with its definition.',
  async handle({ pathParts, services }) {
    const version = versionNumber('version', pathParts.version ?? '');
    return managedAnswer(endpointView(await services.manage.findVersion(pathParts.id ?? '', version)));
  },
});
