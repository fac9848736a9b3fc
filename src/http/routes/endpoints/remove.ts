import { changeOptions, changeRequest } from './changeRequest.ts';
import { callersView, dryRunView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Deletes an endpoint. */
export const removeEndpoint = managedRoute({
  operation: 'endpoints.delete',
  methods: ['DELETE'],
  path: '/api/endpoints/:id',
  urlParameters: changeOptions,
  summary:
    'Deletes an endpoint. This is a breaking change, so it needs `allow_breaking`. `restore` brings the endpoint back.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const { endpoint, callers } = await call.services.manage.remove(call.pathParts.id ?? '', request);
    const { id, name, version } = endpoint;
    const { isDryRun } = request;
    return managedAnswer({
      ...dryRunView(isDryRun),
      ...(isDryRun ? { deleted: null, would_delete: id } : { deleted: id }),
      name,
      version,
      callers: callersView(callers),
    });
  },
});
