import { endpointTag } from '../../../manage/endpointTag.ts';
import { hasCurrent } from '../../preconditions.ts';
import { flagOf } from '../../urlOptions.ts';
import { deletedView, endpointView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Reads one endpoint. */
export const readEndpoint = managedRoute({
  operation: 'endpoints.read',
  methods: ['GET'],
  path: '/api/endpoints/:id',
  urlParameters: ['deleted'],
  summary: 'Returns the current definition of an endpoint, with its `ETag`. `deleted=true` selects a deleted endpoint.',
  async handle({ pathParts, options, headers, services }) {
    if (flagOf(options, 'deleted')) {
      const deleted = await services.manage.deleted.find(pathParts.id ?? '');
      return managedAnswer({ ...endpointView(deleted), ...deletedView(deleted) }, { etag: endpointTag(deleted) });
    }
    const endpoint = await services.manage.find(pathParts.id ?? '');
    const etag = endpointTag(endpoint);
    if (hasCurrent(headers, etag)) {
      return { status: 304, headers: { 'cache-control': 'no-store', etag }, body: undefined };
    }
    return managedAnswer(endpointView(endpoint), { etag });
  },
});
