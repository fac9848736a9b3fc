import type { Redactor } from '../../src/redact/createRedactor.ts';
import { redactRows } from '../../src/redact/redactRows.ts';
import type { RedactingThreads } from '../../src/redact/thread/redactingThreads.ts';

/** Redacts on the calling thread. */
export function redactHere(redactor: Redactor): Pick<RedactingThreads, 'redact'> {
  return { redact: async (_owner, rows, origins) => redactRows(rows, origins, redactor) };
}
