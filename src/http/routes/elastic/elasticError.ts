import type { ServiceError } from '../../../core/errors.ts';
import { badDataStatus } from '../../badDataStatus.ts';
import { type Problem, renderProblem } from '../../problem.ts';
import { elasticHeaders } from './elasticHeaders.ts';

/** Renders an error in the form of Elasticsearch. The type is our error code. */
export function elasticError(error: ServiceError, requestId: string): Problem {
  const problem = renderProblem(error, requestId, { statusOf: badDataStatus });
  const cause = { type: error.code, reason: error.message };
  return {
    status: problem.status,
    headers: { ...problem.headers, ...elasticHeaders },
    body: JSON.stringify({ error: { root_cause: [cause], ...cause }, status: problem.status }),
  };
}
