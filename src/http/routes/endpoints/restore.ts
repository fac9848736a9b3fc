import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { changeOptions, changeRequest } from './changeRequest.ts';
import { changeAnswer } from './endpointView.ts';
import { managedRoute } from './managed.ts';

/** The body: which version is restored. */
export const restoreInput = z.strictObject({ version: z.int().positive().optional(), primary: z.boolean().optional() });

/** Makes an old version the newest, or brings back a deleted endpoint. */
export const restoreEndpoint = managedRoute({
  operation: 'endpoints.restore',
  methods: ['POST'],
  path: '/api/endpoints/:id/restore',
  urlParameters: changeOptions,
  takesBody: true,
  summary:
    'Restores an old version as a new one: `{"version": 3}`. Also restores a deleted endpoint, with `{}` at its last version. If another endpoint has taken the name, `"primary"` says which one answers by it.',
  async handle(call, token) {
    const request = changeRequest(call, token);
    const body = restoreInput.safeParse(plainJson(await readJsonBody(call)));
    if (!body.success) {
      throw new ServiceError(
        'request.malformed',
        'The body must be an object with a version number: {"version": 3}. For a deleted endpoint, you can leave it out: {}. If another endpoint has the name, add "primary": false to share it or "primary": true to take it over.',
      );
    }
    const { version = null, primary = null } = body.data;
    const changed = await call.services.manage.restore(call.pathParts.id ?? '', { version, primary }, request);
    return changeAnswer(changed, request.isDryRun);
  },
});
