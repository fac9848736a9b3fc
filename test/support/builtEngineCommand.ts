import { join } from 'node:path';
import { inject } from 'vitest';
import type { EngineCommand } from '../../src/engines/duckdb/host/engineCommand.ts';

/** Stands in the place of src/engines/duckdb/host/engineCommand.ts in tests (vitest.config.ts): the engine as it is built. */
export function engineCommand(): EngineCommand {
  return { command: process.execPath, args: [join(inject('processesDir'), 'engine', 'main.js')] };
}
