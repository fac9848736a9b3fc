import { EngineConnection } from '../engines/duckdb/host/engineConnection.ts';
import type { Settings } from './settings.ts';

/** A process of the engine that has been given nothing yet, no data folder either. */
export type StandbyEngine = EngineConnection;

/**
 * Starts the process of the engine ahead of the service, so that both load at the same time (decision 41). Imports
 * nothing that takes time to load. The process ends when this one does, or with `kill()`.
 */
export function startEngineAhead({ queryConcurrency }: Pick<Settings, 'queryConcurrency'>): StandbyEngine {
  return new EngineConnection(queryConcurrency);
}
