import { join } from 'node:path';
import { inject } from 'vitest';

/** Replaces test/clickhouse/standInArgs.ts in tests (vitest.config.ts) with the built stand-in. */
export function standInArgs(): readonly string[] {
  return [join(inject('processesDir'), 'standIn', 'main.js')];
}
