import { z } from 'zod';
import { pageOf } from '../../page.ts';
import { versionSummary } from './endpointView.ts';
import { managedAnswer, managedPage, managedRoute } from './managed.ts';

const position = z.int().positive();

/** The versions of an endpoint. */
export const listVersions = managedRoute({
  operation: 'endpoints.versions',
  methods: ['GET'],
  path: '/api/endpoints/:id/versions',
  summary: 'Lists the versions of an endpoint, newest first, in pages: number, time, author, note.',
  async handle({ pathParts, rawQuery, services }) {
    const { limit, after } = managedPage(rawQuery, position);
    const versions = await services.manage.listVersions(pathParts.id ?? '', { limit: limit + 1, before: after });
    const { result, next } = pageOf(versions, limit, ({ version }) => version);
    return managedAnswer({ result: result.map(versionSummary), next });
  },
});
