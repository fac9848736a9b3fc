import { ServiceError } from '../../../core/errors.ts';
import { requireScope } from '../../../tokens/permission.ts';
import { limitsRows } from '../../../tokens/restrictions.ts';
import type { Route } from '../../route.ts';

const mediaType = 'text/plain; version=0.0.4; charset=utf-8';

/** Returns the metrics for Prometheus (contract, section 4: scope `observe`). */
export const readMetrics: Route = {
  operation: 'metrics.read',
  methods: ['GET'],
  path: '/metrics',
  urlParameters: 'open',
  mediaType,
  summary: 'Returns the metrics of the service since its start, as Prometheus text.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes, restrictions }) {
    requireScope(scopes, { kind: 'observe' });
    if (!limitsRows(restrictions)) return;
    throw new ServiceError(
      'auth.project',
      'This token is restricted to projects or parameter values, but metrics cover everything. Use a token without these restrictions.',
    );
  },
  async handle({ services }) {
    return {
      status: 200,
      headers: { 'content-type': mediaType, 'cache-control': 'no-store' },
      body: await services.metrics(),
    };
  },
};
