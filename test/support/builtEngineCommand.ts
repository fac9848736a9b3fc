import { join } from 'node:path';
import { inject } from 'vitest';
import type { EngineCommand } from '../../src/engines/duckdb/host/engineCommand.ts';

/** Replaces src/engines/duckdb/host/engineCommand.ts in tests (vitest.config.ts) with the built engine. */
export function engineCommand(): EngineCommand {
  const folder = join(inject('processesDir'), 'engine');
  return { command: process.execPath, args: [join(folder, 'cached.cjs'), join(folder, 'main.cjs')] };
}
