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
  it('reports a call that took as long or longer, with all its members', () => {
    expect(slowCall(completed, 250)).toEqual({ ...ended, kind: 'call.slow', call });
  });

  it('does not count the time in which a slow client reads its answer', () => {
    expect(slowCall(completed, 251)).toBeUndefined();
  });

  it('reports only calls of endpoints', () => {
    const { call: _, ...other } = completed;
    expect(slowCall({ ...other, route: 'metrics.read' }, 0)).toBeUndefined();
    expect(slowCall({ kind: 'service.stopping', reason: 'SIGTERM' }, 0)).toBeUndefined();
    expect(slowCall({ ...ended, kind: 'call.slow', call }, 0)).toBeUndefined();
  });

  it('reports no call if the slow log is off', () => {
    expect(slowCall(completed, Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
