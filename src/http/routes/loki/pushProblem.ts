import type { ServiceError } from '../../../core/errors.ts';
import { badDataStatus } from '../../badDataStatus.ts';
import { type Problem, renderProblem } from '../../problem.ts';

/** Renders an error for Loki clients: a problem document, because they log it as it is, with a status that Loki has. */
export function pushProblem(error: ServiceError, requestId: string): Problem {
  return renderProblem(error, requestId, { statusOf: badDataStatus });
}
