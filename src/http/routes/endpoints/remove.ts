import { changeOptions, changeRequest } from './changeRequest.ts';
import { dryRunView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** The end of an endpoint. */
export const removeEndpoint = managedRoute({
  operation: 'endpoints.delete',
  methods: ['DELETE'],
  path: '/api/endpoints/:id',
  urlParameters: changeOptions,
  summary: 'Deletes an endpoint; its id is not given to another one.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const { id, name, version } = await call.services.manage.remove(call.pathParts.id ?? '', request);
    const { isDryRun } = request;
    return managedAnswer({
      ...dryRunView(isDryRun),
      ...(isDryRun ? { deleted: null, would_delete: id } : { deleted: id }),
      name,
      version,
    });
  },
});
