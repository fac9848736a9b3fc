import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

const bodySchema = z.strictObject({ version: z.int().positive().optional() });

/** An old version becomes the newest, or a deleted endpoint is there again. */
export const restoreEndpoint = managedRoute({
  operation: 'endpoints.restore',
  methods: ['POST'],
  path: '/api/endpoints/:id/restore',
  urlParameters: changeOptions,
  takesBody: true,
  summary:
    'Makes a new version that is like the one that the body names: `{"version": 3}`. A deleted endpoint is there again then; without a version, `{}`, as it was last.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const body = bodySchema.safeParse(plainJson(await readJsonBody(call.headers, call.body)));
    if (!body.success) {
      throw new ServiceError(
        'request.malformed',
        'The body must be an object with the number of a version: {"version": 3}. For a deleted endpoint it may be left out: {}.',
      );
    }
    const changed = await call.services.manage.restore(call.pathParts.id ?? '', body.data.version ?? null, request);
    return changeAnswer(changed, request.isDryRun);
  },
});
