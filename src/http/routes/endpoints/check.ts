import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { descriptionView } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

/** Checks a definition without storing it. */
export const checkEndpoint = managedRoute({
  operation: 'endpoints.check',
  methods: ['POST'],
  path: '/api/endpoints/check',
  urlParameters: [],
  takesBody: true,
  summary: 'Compiles a definition without storing it. Returns its errors, or its columns, parameters and tables.',
  async handle(call, token) {
    const report = await call.services.manage.check(plainJson(await readJsonBody(call)), token.publicId);
    const { problem, errors, parameters, description } = report;
    return managedAnswer({
      valid: problem === null,
      problem,
      errors,
      parameters,
      ...(description === null ? {} : descriptionView(description)),
    });
  },
});
