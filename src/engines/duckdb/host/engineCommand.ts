import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command line of the engine process: its bundle in a built product (`dist/engine/main.js`, beside the folder of
 * whichever part holds this code), else the source file through the type stripper. Tests are given a bundle that is
 * built where they begin (test/support/builtProcesses.ts), since the type stripper takes most of a process's start.
 */
export function engineCommand(): EngineCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(isSource ? '../process/engineMain.ts' : '../engine/main.js', import.meta.url);
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  return { command: process.execPath, args: [...loader, fileURLToPath(entry)] };
}
