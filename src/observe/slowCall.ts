import type { Observation } from '../core/observation.ts';

/**
 * What the slow-query log says of a request that has ended, or undefined where it was no call of an
 * endpoint or was ready in `slowMs`; a slow log of its own, as its level makes it stand out.
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
