import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { installedPrograms } from './postgresCluster.ts';

/** Whether tests of stores in PostgreSQL can run here; otherwise they are skipped, by name. */
export const hasPostgres = installedPrograms() !== null;

const startSecondsMax = 240;

/** The URL of the run's server, which the first caller of all workers starts. */
export async function postgresUrl(): Promise<string> {
  const folder = inject('postgresDir');
  const [ready, failed] = [join(folder, 'ready'), join(folder, 'failed')];
  if (isFirst(folder)) startKeeper(folder, inject('postgresKeptFor'));
  for (let tries = 0; tries < startSecondsMax * 20; tries++) {
    if (existsSync(ready)) return readFileSync(ready, 'utf8');
    if (existsSync(failed)) throw new Error(`PostgreSQL did not start: ${readFileSync(failed, 'utf8')}`);
    await delay(50);
  }
  throw new Error(`PostgreSQL did not start within ${startSecondsMax} s`);
}

/** Only one worker can make the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function startKeeper(folder: string, keptFor: number): void {
  const keeper = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'postgresKeeper.ts'), folder, String(keptFor)],
    { detached: true, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  writeFileSync(join(folder, 'keeper.pid'), String(keeper.pid));
  keeper.unref();
}

export interface FreshSchema {
  /** What `LOGMILL_STORE` would be. The schema does not exist yet. */
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** A schema of its own for one test, in the database of the run's server. */
export async function freshSchema(): Promise<FreshSchema> {
  const server = await postgresUrl();
  const schema = `t_${randomBytes(8).toString('hex')}`;
  return {
    url: `${server}?schema=${schema}`,
    drop: async () => {
      const client = new pg.Client(server);
      await client.connect();
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    },
  };
}
