import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command line of the engine process: its bundle in a built product (`dist/engine/main.cjs`), otherwise the source
 * file through the type stripper. Tests get a bundle that is built at their start (test/support/builtProcesses.ts),
 * because type stripping takes most of the process's start.
 */
export function engineCommand(): EngineCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(isSource ? '../process/engineMain.ts' : '../engine/main.cjs', import.meta.url);
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  return { command: process.execPath, args: [...loader, fileURLToPath(entry)] };
}
