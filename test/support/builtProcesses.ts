import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the processes and modules built for this run: each is the file `<name>/main.js`, and the engine `engine/main.cjs`. */
    readonly processesDir: string;
  }
}

const root = join(import.meta.dirname, '..', '..');

const chores = new URL('../../scripts/project.mjs', import.meta.url).href;

/** Laid out like `dist/`, so that each process finds the engine where the built product has it. */
const processes: Readonly<Record<string, string>> = {
  'engine/main': 'src/engines/duckdb/process/engineMain.ts',
  'redact/main': 'src/redact/thread/redactingMain.ts',
  'crashWriter/main': 'src/engines/duckdb/crashWriter.fixture.ts',
  'crashRemover/main': 'src/engines/duckdb/removal/crashRemover.fixture.ts',
  'memoryNode/main': 'test/support/memoryNode.ts',
  'runForeign/main': 'scripts/runForeign.ts',
  'standIn/main': 'test/clickhouse/standIn.ts',
};

/** For scripts that run in a process of their own (builtModule.ts). */
const modules: Readonly<Record<string, string>> = {
  'database/main': 'src/stores/sqlite/database.ts',
  'sqlEndpointStore/main': 'src/stores/sql/sqlEndpointStore.ts',
  'sqlTokenStore/main': 'src/stores/sql/sqlTokenStore.ts',
  'parseDefinition/main': 'src/endpoints/parseDefinition.ts',
  'openPostgres/main': 'src/stores/postgres/openPostgres.ts',
  'postgresAddress/main': 'src/stores/postgres/postgresAddress.ts',
  'timer/main': 'src/core/timer.ts',
  'folderLock/main': 'src/start/folderLock.ts',
  'dataFolder/main': 'src/start/doctor/dataFolder.ts',
  'requireDataFolder/main': 'src/start/requireDataFolder.ts',
  'hasStore/main': 'src/stores/sqlite/hasStore.ts',
  'copyDatabase/main': 'src/stores/sqlite/copyDatabase.ts',
  'engineConnection/main': 'src/engines/duckdb/host/engineConnection.ts',
  'launcher/main': 'src/engines/duckdb/host/launcher.ts',
  'activeFiles/main': 'src/engines/duckdb/process/write/activeFiles.ts',
};

/**
 * Builds the processes that tests start hundreds of times, once per run and in the same way as the product. A process
 * that reads its sources through the type stripper takes several times as long to start, on more than one core. Returns
 * a function that removes them; if the run is killed, the next build of the product removes them (scripts/project.mjs).
 */
export default async function buildProcesses(project: TestProject): Promise<() => void> {
  const { buildAside } = (await import(chores)) as { readonly buildAside: (pid: number) => string };
  const outdir = join(root, buildAside(process.pid));
  const named = Object.entries({ ...processes, ...modules }).map(([name, source]) => `${name}=${source}`);
  const buildAll = () => {
    execFileSync(process.execPath, [join(root, 'scripts', 'bundle.mjs'), outdir, ...named], { stdio: 'inherit' });
  };
  // The projects of a run share the build. Its list of licences is written last.
  if (!existsSync(join(outdir, 'third-party-licences.txt'))) buildAll();
  project.onTestsRerun(async () => buildAll());
  project.provide('processesDir', outdir);
  return () => rmSync(outdir, { recursive: true, force: true });
}
