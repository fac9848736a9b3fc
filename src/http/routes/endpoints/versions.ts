import * as z from 'zod';
import { pageOf, pageOptions, readPage } from '../../page.ts';
import { flagOf } from '../../urlOptions.ts';
import { versionSummary } from './endpointView.ts';
import { managedAnswer, managedRoute } from './managed.ts';

const position = z.int().positive();

/** Lists the versions of an endpoint. */
export const listVersions = managedRoute({
  operation: 'endpoints.versions',
  methods: ['GET'],
  path: '/api/endpoints/:id/versions',
  urlParameters: [...pageOptions, 'deleted'],
  summary:
    'Lists the versions of an endpoint, newest first, in pages: number, time, author and note. `deleted=true` selects a deleted endpoint.',
  async handle({ pathParts, options, services }) {
    const { limit, after } = readPage(options, position);
    const from = flagOf(options, 'deleted') ? services.manage.deleted : services.manage;
    const versions = await from.listVersions(pathParts.id ?? '', { limit: limit + 1, before: after });
    const { result, next } = pageOf(versions, limit, ({ version }) => version);
    return managedAnswer({ result: result.map(versionSummary), next });
  },
});
