import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the processes that are built for this run: each is its file `<name>/main.js`. */
    readonly processesDir: string;
  }
}

const root = join(import.meta.dirname, '..', '..');

const chores = new URL('../../scripts/project.mjs', import.meta.url).href;

/** Laid out as `dist/` is, so that each finds the engine where the built product has it. */
const processes: Readonly<Record<string, string>> = {
  'engine/main': 'src/engines/duckdb/process/engineMain.ts',
  'crashWriter/main': 'src/engines/duckdb/crashWriter.fixture.ts',
  'crashRemover/main': 'src/engines/duckdb/removal/crashRemover.fixture.ts',
};

/**
 * Builds the processes that tests start hundreds of times, once for the whole run and as the product is built: a
 * process that reads its sources through the type stripper takes four times as long to start, on more than one core.
 * Gives what removes them again; where the run is killed, the next build of the product does (scripts/project.mjs).
 */
export default async function buildProcesses(project: TestProject): Promise<() => void> {
  const { buildAside } = (await import(chores)) as { readonly buildAside: (pid: number) => string };
  const outdir = join(root, buildAside(process.pid));
  const named = Object.entries(processes).map(([name, source]) => `${name}=${source}`);
  const buildAll = () => {
    execFileSync(process.execPath, [join(root, 'scripts', 'bundle.mjs'), outdir, ...named], { stdio: 'inherit' });
  };
  buildAll();
  project.onTestsRerun(async () => buildAll());
  project.provide('processesDir', outdir);
  return () => rmSync(outdir, { recursive: true, force: true });
}
