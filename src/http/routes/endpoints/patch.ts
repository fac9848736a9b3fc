import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

const patchTypes = ['application/merge-patch+json', 'application/json'];

/** Makes a new version of an endpoint from a merge patch. */
export const patchEndpoint = managedRoute({
  operation: 'endpoints.patch',
  methods: ['PATCH'],
  path: '/api/endpoints/:id',
  urlParameters: changeOptions,
  takesBody: true,
  summary: 'Changes the fields in a JSON merge patch, as a new version. Otherwise like `endpoints.replace`.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const patch = plainJson(await readJsonBody(call, patchTypes));
    return changeAnswer(await call.services.manage.patch(call.pathParts.id ?? '', patch, request), request.isDryRun);
  },
});
