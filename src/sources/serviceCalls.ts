import { shapeOf } from './shape.ts';
import type { Source } from './source.ts';

/**
 * The calls of endpoints of this service, as events: one for each sort of call in half a minute, and
 * one for each slow call. Written by the service alone: it is no declared stream, so nobody can send
 * to it, and only the service's own endpoints (`svc.calls`, `svc.slow`) can name it.
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

/** Days that those events are kept where nobody says otherwise: usage grows also where everything else is kept. */
export const serviceCallsDays = 90;

/**
 * The project of those events. A project that a token is restricted to has no control characters, so
 * this one is in nobody's reach even where a check of the scope were missed.
 */
export const serviceProject = '\u001fservice';
