import { warmingTokenId } from '../../../cache/resultCache.ts';
import { formatMicros } from '../../../invoke/formatMicros.ts';
import { requireScope } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route } from '../../route.ts';
import { reachedQueries } from './reachedQueries.ts';

/** Lists the queries that are waiting or running on any node (contract, section 7). */
export const listQueries: Route = {
  operation: 'queries.list',
  methods: ['GET'],
  path: '/api/queries',
  urlParameters: [],
  summary: 'Lists the queries that wait or run on any node: endpoint, token, stage and time, without texts or values.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireScope(scopes, { kind: 'observe' });
  },
  async handle({ services }, token) {
    const { queries: running, silentNodes } = await services.queries.list(reachedQueries(token));
    const queries = running.map(({ id, endpoint, tokenId, requestIds, stage, startedMicros, elapsedMs }) => ({
      id,
      endpoint,
      // Cache warming runs without a caller.
      token: tokenId === warmingTokenId ? null : tokenId,
      ...(requestIds === undefined ? {} : { request_ids: requestIds }),
      stage,
      started_at: formatMicros(startedMicros),
      elapsed_ms: Number(elapsedMs.toFixed(1)),
    }));
    return jsonAnswer(
      { queries, ...(silentNodes.length === 0 ? {} : { silent_nodes: silentNodes }) },
      { 'cache-control': 'no-store' },
    );
  },
};
