import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command line of the engine process, whose last argument is its program: the bundle in a built product
 * (`dist/engine/main.cjs`), otherwise the source file through the type stripper. process/cachedMain.ts starts either.
 * Tests get a bundle that is built at their start (test/support/builtProcesses.ts), because type stripping takes most of
 * the process's start.
 */
export function engineCommand(): EngineCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const placed = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const args = isSource
    ? [
        '--import',
        pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
        placed('../process/cachedMain.ts'),
        placed('../process/engineMain.ts'),
      ]
    : [placed('../engine/cached.cjs'), placed('../engine/main.cjs')];
  return { command: process.execPath, args };
}
