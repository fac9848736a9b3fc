import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

/** Creates an endpoint (contract, section 3). */
export const createEndpoint = managedRoute({
  operation: 'endpoints.create',
  methods: ['POST'],
  path: '/api/endpoints',
  urlParameters: changeOptions,
  takesBody: true,
  summary: 'Creates an endpoint from a definition. The `id` is optional.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const input = plainJson(await readJsonBody(call));
    return changeAnswer(await call.services.manage.create(input, request), request.isDryRun);
  },
});
