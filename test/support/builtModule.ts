import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/**
 * The URL of a module that is built once for the run (builtProcesses.ts), as JSON, for the text of a script that runs in
 * a process of its own.
 */
export function builtModule(name: string): string {
  return JSON.stringify(pathToFileURL(join(inject('processesDir'), name, 'main.js')).href);
}
