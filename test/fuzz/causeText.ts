import { EngineFailure } from '../../src/engines/duckdb/host/engineFailure.ts';

/** What an error was caused by, with the engine's own words, which its message leaves out as it is logged. */
export function causeText({ cause }: Error): string {
  if (cause instanceof EngineFailure) return cause.failure.detail;
  return cause instanceof Error ? cause.message : '';
}
