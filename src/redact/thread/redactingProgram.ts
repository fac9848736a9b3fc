import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface RedactingProgram {
  /** The file of a `Worker`, or its text if `isText`. */
  readonly program: string | URL;
  readonly isText: boolean;
}

/**
 * The program of a redaction thread: its bundle in a built product (`dist/redact/main.js`), otherwise the source file
 * through the type stripper. Tests get a bundle that is built at their start (test/support/builtProcesses.ts), because
 * type stripping takes most of the thread's start.
 */
export function redactingProgram(): RedactingProgram {
  if (!import.meta.url.endsWith('.ts')) {
    return { program: new URL('../redact/main.js', import.meta.url), isText: false };
  }
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/cjs$/, 'mjs'),
  ).href;
  const entry = JSON.stringify(new URL('./redactingMain.ts', import.meta.url).href);
  return {
    program: `import(${JSON.stringify(loader)}).then(({ tsImport }) => tsImport(${entry}, ${entry}))`,
    isText: true,
  };
}
