import { endpointTag } from '../../../manage/entityTag.ts';
import { endpointView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';
import { urlOptions } from './urlOptions.ts';

/** One endpoint. */
export const readEndpoint = managedRoute({
  operation: 'endpoints.read',
  methods: ['GET'],
  path: '/api/endpoints/:id',
  summary: 'The definition of an endpoint as it is now, with its `ETag`.',
  async handle({ pathParts, rawQuery, services }) {
    urlOptions(rawQuery, []);
    const endpoint = await services.manage.find(pathParts.id ?? '');
    return managedAnswer(endpointView(endpoint), { etag: endpointTag(endpoint) });
  },
});
