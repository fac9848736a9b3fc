import type { ErrorCode } from '../../core/errorCatalogue.ts';

/** The errors of running a query, whoever asks for it. */
export const runErrors: readonly ErrorCode[] = [
  'query.timeout',
  'query.memory',
  'query.fetch_max',
  'query.overloaded',
  'query.held_back',
  'query.killed',
  'engine.failed',
  'engine.restarting',
  'service.disk_full',
];
