import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

/** Makes a new version of an endpoint from a whole definition. */
export const replaceEndpoint = managedRoute({
  operation: 'endpoints.replace',
  methods: ['PUT'],
  path: '/api/endpoints/:id',
  urlParameters: changeOptions,
  takesBody: true,
  summary: 'Replaces the definition, as a new version. With `If-Match`, only if no one has changed it meanwhile.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const input = plainJson(await readJsonBody(call));
    return changeAnswer(await call.services.manage.replace(call.pathParts.id ?? '', input, request), request.isDryRun);
  },
});
