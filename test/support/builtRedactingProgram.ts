import { join } from 'node:path';
import { inject } from 'vitest';
import type { RedactingProgram } from '../../src/redact/thread/redactingProgram.ts';

/** Replaces src/redact/thread/redactingProgram.ts in tests (vitest.config.ts) with the built thread. */
export function redactingProgram(): RedactingProgram {
  return { program: join(inject('processesDir'), 'redact', 'main.js'), isText: false };
}
