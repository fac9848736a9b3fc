import type { Observation } from '../core/observation.ts';
import { describeCause } from './describeCause.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogEntry {
  readonly level: LogLevel;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** The log level of every kind of observation. A new kind does not compile without one. */
const levels: Readonly<Record<Observation['kind'], LogLevel>> = {
  'service.ready': 'info',
  'service.stopping': 'info',
  'request.completed': 'info',
  'request.failed': 'warn',
  'call.slow': 'warn',
  'usage.dropped': 'warn',
  'query.ended': 'debug',
  'query.ended_engine': 'warn',
  'query.killed': 'info',
  'tail.dropped': 'info',
  'cache.answered': 'debug',
  'cache.refreshed': 'debug',
  'cache.refresh_failed': 'warn',
  'cache.skipped': 'debug',
  'cache.evicted': 'debug',
  'ingest.stored': 'info',
  'engine.started': 'info',
  'engine.exited': 'error',
  'engine.killed': 'error',
  'engine.replaced': 'error',
  'folder.gone': 'error',
  'disk.low': 'error',
  'disk.recovered': 'info',
  'store.lost': 'error',
  'store.recovered': 'info',
  'store.away': 'warn',
  'file.rotated': 'info',
  'file.sealed': 'info',
  'file.merged': 'info',
  'file.dropped': 'info',
  'file.cleaned': 'info',
  'file.damaged': 'error',
  'file.missing': 'error',
  'file.mended': 'info',
  'endpoints.deployed': 'info',
  'nodes.silent': 'warn',
  'nodes.out_of_contact': 'warn',
  warning: 'warn',
};

/** Routes that machines call every few seconds. They are logged at level debug, unless they fail. */
const probeRoutes = /^(probes|metrics)\./;

/**
 * Converts an observation to a log entry: its members, with a cause as bounded text, and a trace as `trace_id` and
 * `span_id`, the names that log viewers expect.
 */
export function writtenObservation(observation: Observation): LogEntry {
  const { kind, ...members } = observation;
  const fields: Record<string, unknown> = { kind, ...members };
  if ('cause' in observation) {
    if (observation.cause === undefined) delete fields.cause;
    else fields.cause = describeCause(observation.cause);
  }
  if ('elapsedMs' in observation) fields.elapsedMs = Number(observation.elapsedMs.toFixed(3));
  if ('waitedMs' in observation) fields.waitedMs = Number(observation.waitedMs.toFixed(3));
  if ('trace' in observation && observation.trace !== undefined) {
    delete fields.trace;
    fields.trace_id = observation.trace.traceId;
    fields.span_id = observation.trace.spanId;
  }
  // The log has `call.stagesMs` instead.
  delete fields.stages;
  delete fields.message;
  return { level: levelOf(observation), fields, message: 'message' in observation ? observation.message : kind };
}

/** The log level of an observation. */
export function levelOf(observation: Observation): LogLevel {
  if (observation.kind === 'request.completed' && probeRoutes.test(observation.route) && observation.status < 500)
    return 'debug';
  if (observation.kind === 'request.failed' && observation.code === 'internal') return 'error';
  return levels[observation.kind];
}
