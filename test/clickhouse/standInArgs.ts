import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Arguments of Node that start the stand-in from its source. Tests start one that is built for the run
 * (test/support/builtStandInArgs.ts).
 */
export function standInArgs(): readonly string[] {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--import', loader, join(import.meta.dirname, 'standIn.ts')];
}
