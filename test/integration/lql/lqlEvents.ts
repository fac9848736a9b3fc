import { at, day, hour, minute, second } from '../../support/instants.ts';

/** A Friday, in the middle of a day, an hour and a minute. */
export const now = at('2026-05-01T12:30:30.500Z');

const event = (id: string, ago: number, message: string, metadata: object) => ({
  id,
  timestamp: now - ago,
  event_message: message,
  project: 'own',
  metadata,
});

const edge = (id: string, ago: number, message: string, status: unknown, more: object = {}) =>
  event(id, ago, message, {
    request: { method: 'GET', path: `/rest/v1/${id}`, ...more },
    response: { status_code: status, origin_time: 10 * Number(id.slice(1)) },
  });

/** Rows that tell the rules of LQL apart; what belongs to another project must never be seen. */
export const edgeEvents: readonly object[] = [
  edge('e1', 10 * second, 'GET | 200 | it\'s "fine"', 200),
  edge('e2', 40 * second, 'POST | 500 | timeout at C:\\temp', 500, { method: 'POST' }),
  edge('e3', 20 * minute, 'GET | 404 | Timeout', '404'),
  edge('e4', 2 * hour, 'GET | 200 | 100%_done', 200.5),
  edge('e5', 13 * hour, 'PUT | 5xx | late', '5xx'),
  edge('e6', 4 * day, 'GET | 301 | Monday', 301),
  edge('e7', 40 * day, 'GET | 200 | March', 200),
  edge('e8', 400 * day, 'GET | 200 | last year', 200),
  event('n1', 30 * second, 'no metadata below', {}),
  edge('e9', -2 * hour, 'GET | 200 | from the future', 200),
  { ...edge('x1', 10 * second, 'GET | 200 | secret', 200), project: 'other' },
];

const worker = (id: string, level: string | undefined, more: object = {}) =>
  event(id, 5 * minute, `worker ${id}`, { project_ref: 'own', ...(level === undefined ? {} : { level }), ...more });

export const functionEvents: readonly object[] = [
  worker('f1', 'debug'),
  worker('f2', 'info'),
  worker('f3', 'warning'),
  worker('f4', 'error', { tags: ['red', 'dark blue', 7], ready: true }),
  worker('f5', 'critical', { tags: 'red', ready: false }),
  worker('f6', undefined, { tags: [], note: 'null' }),
  worker('f7', 'silly', { tags: { red: 1 }, big: 9_007_199_254_740_994 }),
];
