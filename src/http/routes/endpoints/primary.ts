import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

/** Chooses which of several endpoints with the same name answers by that name (contract, section 2). */
export const makePrimary = managedRoute({
  operation: 'endpoints.primary',
  methods: ['POST'],
  path: '/api/endpoints/:id/primary',
  urlParameters: changeOptions,
  summary: 'Makes the endpoint the one that answers by its name.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    return changeAnswer(await call.services.manage.makePrimary(call.pathParts.id ?? '', request), request.isDryRun);
  },
});
