import { describe, expect, it } from 'vitest';
import type { CallReport, Observation } from '../core/observation.ts';
import { slowCall } from './slowCall.ts';

const call: CallReport = {
  endpoint: { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 2 },
  token: 'alice',
  isCallerQuery: false,
  cache: null,
  rowCount: 0,
  bytes: 0,
  answeredMs: 250,
  stagesMs: { run: 240 },
};
const ended = { requestId: 'r', status: 504, errorCode: 'query.timeout' } as const;
const completed: Observation = { ...ended, kind: 'request.completed', route: 'endpoints.query', elapsedMs: 9000, call };

describe('slowCall', () => {
  it('tells of a call that took as long or longer, with all that is known of it', () => {
    expect(slowCall(completed, 250)).toEqual({ ...ended, kind: 'call.slow', call });
  });

  it('does not count the time in which a slow client takes its answer', () => {
    expect(slowCall(completed, 251)).toBeUndefined();
  });

  it('tells of nothing but calls of endpoints', () => {
    const { call: _, ...other } = completed;
    expect(slowCall({ ...other, route: 'metrics.read' }, 0)).toBeUndefined();
    expect(slowCall({ kind: 'service.stopping', reason: 'SIGTERM' }, 0)).toBeUndefined();
    expect(slowCall({ ...ended, kind: 'call.slow', call }, 0)).toBeUndefined();
  });

  it('is told of no call where the log of slow ones is off', () => {
    expect(slowCall(completed, Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
