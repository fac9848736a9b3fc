import { shapeOf } from './shape.ts';
import type { Source } from './source.ts';

/**
 * Calls of endpoints as events: one for each kind of call in half a minute, and one for each slow call. Only the service
 * writes them. The source is not declared, so nobody can send events to it, and only the service's own endpoints
 * (`svc.calls`, `svc.slow`) can read it.
 */
export const serviceCalls: Source = {
  name: 'svc_calls',
  projectField: { kind: 'column' },
  shape: shapeOf({
    endpoint_id: 's',
    endpoint: 's',
    version: 'n',
    token: 's',
    status: 'n',
    code: 's',
    cache: 's',
    caller_query: 'b',
    calls: 'n',
    elapsed_ms: 'n',
    rows: 'n',
    bytes: 'n',
    request_id: 's',
    trace_id: 's',
    stages: {},
  }),
  hotColumns: [
    { column: 'endpoint_id', path: ['endpoint_id'], kind: 'string' },
    { column: 'token', path: ['token'], kind: 'string' },
    { column: 'calls', path: ['calls'], kind: 'int64' },
    { column: 'elapsed_ms', path: ['elapsed_ms'], kind: 'float64' },
    { column: 'request_id', path: ['request_id'], kind: 'string' },
  ],
};

/** Default retention of these events in days. Without it usage would grow forever if other events are kept forever. */
export const serviceCallsDays = 90;

/**
 * The project of these events. Tokens cannot be restricted to a project with control characters, so no restricted token
 * could read it even if a scope check were missing.
 */
export const serviceProject = '\u001fservice';
