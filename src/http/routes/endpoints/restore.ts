import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

const bodySchema = z.strictObject({ version: z.int().positive() });

/** An old version becomes the newest. */
export const restoreEndpoint = managedRoute({
  operation: 'endpoints.restore',
  methods: ['POST'],
  path: '/api/endpoints/:id/restore',
  urlParameters: changeOptions,
  takesBody: true,
  summary: 'Makes a new version that is like the one that the body names: `{"version": 3}`.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const body = bodySchema.safeParse(plainJson(readJsonBody(call.headers, call.body)));
    if (!body.success) {
      throw new ServiceError(
        'request.malformed',
        'The body must be an object with the number of a version: {"version": 3}.',
      );
    }
    const changed = await call.services.manage.restore(call.pathParts.id ?? '', body.data.version, request);
    return changeAnswer(changed, request.isDryRun);
  },
});
