import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** The settings of a user who has read the manual and gives it the memory of this machine. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  shared_buffers: '1GB',
  effective_cache_size: '8GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
  // Loading into a table of the same transaction need not be logged. Every commit is still synced.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // For disks without moving heads.
  random_page_cost: '1.1',
  // Compiling takes longer than most of these queries.
  jit: 'off',
  timezone: 'UTC',
};
const startSecondsMax = 60;
const user = 'bench';

/** An account that the server runs as, because PostgreSQL refuses to run as root. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** A separate PostgreSQL server, with its data and its socket in a folder. */
export class PostgresCluster {
  readonly version: string;
  readonly #server: ChildProcess;
  readonly #socketDir: string;

  private constructor(server: ChildProcess, socketDir: string, version: string) {
    this.#server = server;
    this.#socketDir = socketDir;
    this.version = version;
  }

  /** `folder` must be empty; every account must be able to enter its parent folders. */
  static async start(folder: string, programs: string): Promise<PostgresCluster> {
    const account = serverAccount();
    const dataDir = join(folder, 'data');
    const socketDir = join(folder, 'socket');
    chmodSync(folder, 0o755);
    for (const path of [dataDir, socketDir]) {
      mkdirSync(path, { mode: 0o700 });
      if (account !== null) chownSync(path, account.uid, account.gid);
    }
    const run = { cwd: socketDir, ...account };
    const initialise = ['-D', dataDir, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale', 'C'];
    execFileSync(join(programs, 'initdb'), initialise, { ...run, stdio: ['ignore', 'ignore', 'inherit'] });
    const logFile = join(folder, 'server.log');
    const log = openSync(logFile, 'a');
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(join(programs, 'postgres'), ['-D', dataDir, '-k', socketDir, ...given], {
      ...run,
      stdio: ['ignore', log, log],
    });
    const version = execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
    const cluster = new PostgresCluster(server, socketDir, version);
    for (let tries = 0; ; tries++) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, 'utf8')}`);
      try {
        await (await cluster.connect()).end();
        return cluster;
      } catch (cause) {
        if (tries < startSecondsMax * 10) await delay(100);
        else {
          await cluster.stop();
          throw new Error(`PostgreSQL did not answer within ${startSecondsMax} s`, { cause });
        }
      }
    }
  }

  /** A client that returns every value as the server's text, so that reading rows costs as much as reading bytes. */
  async connect(): Promise<pg.Client> {
    const asText = { getTypeParser: () => (value: string) => value };
    const client = new pg.Client({ host: this.#socketDir, user, database: 'postgres', types: asText });
    await client.connect();
    return client;
  }

  async stop(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const exited = once(this.#server, 'exit');
    this.#server.kill('SIGINT');
    await exited;
  }
}

/** Finds the server's programs, or installs them from Debian; otherwise says why there are none. */
export function postgresPrograms(): { readonly path: string } | { readonly missing: string } {
  const found = installedPrograms();
  if (found !== null) return { path: found };
  if (process.getuid?.() !== 0) return { missing: 'PostgreSQL is not installed, and only root can install it' };
  for (const args of [
    ['update', '-q'],
    ['install', '-qy', '--no-install-recommends', 'postgresql'],
  ]) {
    const { status } = spawnSync('apt-get', args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) return { missing: `PostgreSQL is not installed, and "apt-get ${args.join(' ')}" failed` };
  }
  const installed = installedPrograms();
  return installed === null ? { missing: 'apt-get installed no PostgreSQL server' } : { path: installed };
}

function installedPrograms(): string | null {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).filter((version) => existsSync(join(root, version, 'bin', 'initdb')));
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(root, newest, 'bin');
}

/** The account `postgres` if this process runs as root; otherwise null, the process's own. */
function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
