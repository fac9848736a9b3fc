import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { deployedMax } from '../../../manage/endpointManagement.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { callersView, dryRunView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

const bodySchema = z.strictObject({ definitions: z.array(z.unknown()).max(deployedMax) });

/** Deploys many definitions, all or none. */
export const deployEndpoints = managedRoute({
  operation: 'endpoints.deploy',
  methods: ['POST'],
  path: '/api/endpoints/deploy',
  urlParameters: changeOptions,
  takesBody: true,
  summary: 'Creates or changes endpoints to match the definitions in the body, all or none: `{"definitions": […]}`.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const body = bodySchema.safeParse(plainJson(await readJsonBody(call)));
    if (!body.success) {
      throw new ServiceError(
        'request.malformed',
        `The body must be an object with a list of at most ${deployedMax} definitions: {"definitions": […]}.`,
      );
    }
    const changed = await call.services.manage.deploy(body.data.definitions, request);
    return managedAnswer({
      dry_run: request.isDryRun,
      ...dryRunView(request.isDryRun),
      result: changed.map(({ outcome, endpoint, diff, callers, notices }) => ({
        id: endpoint.id,
        name: endpoint.name,
        outcome,
        version: endpoint.version,
        primary: endpoint.primary,
        diff,
        callers: callersView(callers),
        notices,
      })),
    });
  },
});
