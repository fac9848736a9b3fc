import { type DuckDbSettings, defaultDuckDbSettings } from '../engines/duckdb/settings.ts';
import { redactionConfigOf } from './redactionSettings.ts';
import type { Settings } from './settings.ts';

/** The sizes of DuckDB's processes, which run statements wherever events are kept. */
export function duckDbSettingsOf(settings: Settings): DuckDbSettings {
  return {
    ...defaultDuckDbSettings,
    threads: settings.engineThreads,
    memoryBytesMax: settings.memory,
    // Text functions can exceed the engine's own limit; three times the limit is a runaway.
    processBytesMax: Math.max(defaultDuckDbSettings.processBytesMax, 3 * settings.memory),
    statementsMax: settings.queryConcurrency,
    functionWaitMs: settings.queryQueueWaitMs,
    rotateEvents: settings.segmentEvents,
    budgetBytes: settings.diskBudget,
    freeBytesMin: settings.diskFreeMin ?? null,
    redaction: redactionConfigOf(settings),
    redactionRowsMax: settings.redactionRowsMax,
  };
}
