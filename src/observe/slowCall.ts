import type { Observation } from '../core/observation.ts';

/**
 * The observation of a slow call for a request that has ended; undefined if it was not a call of an endpoint, or was
 * ready within `slowMs`. It is logged separately, because its level makes it stand out.
 */
export function slowCall(observation: Observation, slowMs: number): Observation | undefined {
  if (observation.kind !== 'request.completed') return undefined;
  const { requestId, status, errorCode, trace, call } = observation;
  if (call === undefined || call.answeredMs < slowMs) return undefined;
  return {
    kind: 'call.slow',
    requestId,
    status,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(trace === undefined ? {} : { trace }),
    call,
  };
}
