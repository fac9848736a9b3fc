import { z } from 'zod';
import { pageOf, pageOptions, readPage } from '../../page.ts';
import { endpointSummary } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

const position = z.strictObject({ name: z.string(), id: z.string() });

/** The endpoints that there are. */
export const listEndpoints = managedRoute({
  operation: 'endpoints.list',
  methods: ['GET'],
  path: '/api/endpoints',
  urlParameters: [...pageOptions, 'name'],
  summary: 'Lists the endpoints by name, without their queries, in pages; `name` finds those of one name.',
  async handle({ options, services }) {
    const { limit, after } = readPage(options, position);
    const name = options.get('name') ?? null;
    const endpoints = await services.manage.listPage({ limit: limit + 1, after, name });
    const { result, next } = pageOf(endpoints, limit, (last) => ({ name: last.name, id: last.id }));
    return managedAnswer({ result: result.map(endpointSummary), next });
  },
});
