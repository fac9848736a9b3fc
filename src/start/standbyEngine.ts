import { EngineConnection } from '../engines/duckdb/host/engineConnection.ts';
import type { Settings } from './settings.ts';

/** An engine process that has received nothing yet, not even a data folder. */
export type StandbyEngine = EngineConnection;

/**
 * Starts the engine process before the service, so that both load at the same time (decision 41). Imports nothing that
 * loads slowly. The process ends with this one, or with `kill()`.
 */
export function startEngineAhead({ queryConcurrency }: Pick<Settings, 'queryConcurrency'>): StandbyEngine {
  return new EngineConnection(queryConcurrency);
}
