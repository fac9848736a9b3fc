import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder in which the first test that needs PostgreSQL starts a server for the run (postgresStores.ts). */
    readonly postgresDir: string;
    /** Id of the process that the server is kept for. */
    readonly postgresKeptFor: number;
  }
}

/** Provides a folder for the PostgreSQL server of a run. Returns a function that ends the server, if one was started. */
export default function providePostgres(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'logmill-postgres-'));
  chmodSync(folder, 0o755);
  project.provide('postgresDir', folder);
  project.provide('postgresKeptFor', process.pid);
  return async () => {
    const pidFile = join(folder, 'keeper.pid');
    if (existsSync(pidFile)) await endKeeper(Number(readFileSync(pidFile, 'utf8')), folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The keeper removes its folder after the server has ended; if it does not, it ends itself with this process. */
async function endKeeper(pid: number, folder: string): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    return;
  }
  for (let tries = 0; tries < 100 && existsSync(folder); tries++) await delay(100);
}
