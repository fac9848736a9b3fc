import * as z from 'zod';
import { pageOf, pageOptions, readPage } from '../../page.ts';
import { flagOf } from '../../urlOptions.ts';
import { deletedView, endpointSummary } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

const position = z.strictObject({ name: z.string(), id: z.string() });

/** Lists the endpoints. */
export const listEndpoints = managedRoute({
  operation: 'endpoints.list',
  methods: ['GET'],
  path: '/api/endpoints',
  urlParameters: [...pageOptions, 'name', 'deleted'],
  summary:
    'Lists the endpoints by name, without their queries, in pages. `name` selects one name. `deleted=true` lists deleted endpoints instead.',
  async handle({ options, services }) {
    const { limit, after } = readPage(options, position);
    const name = options.get('name') ?? null;
    const page = { limit: limit + 1, after, name };
    if (flagOf(options, 'deleted')) {
      const deleted = pageOf(await services.manage.deleted.listPage(page), limit, ({ name: last, id }) => ({
        name: last,
        id,
      }));
      const result = deleted.result.map((endpoint) => ({ ...endpointSummary(endpoint), ...deletedView(endpoint) }));
      return managedAnswer({ result, next: deleted.next });
    }
    const endpoints = await services.manage.listPage(page);
    const { result, next } = pageOf(endpoints, limit, (last) => ({ name: last.name, id: last.id }));
    return managedAnswer({ result: result.map(endpointSummary), next });
  },
});
