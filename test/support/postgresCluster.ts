import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const startSecondsMax = 60;
const databaseUser = 'logmill';

/** An account that the server runs as, because PostgreSQL refuses to run as root. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface ClusterInputs {
  /** Empty; every account must be able to enter its parent folders. */
  readonly folder: string;
  /** Folder of the server's programs. */
  readonly programs: string;
  readonly settings: Readonly<Record<string, string>>;
  /** A port of 127.0.0.1; without one, there is only the socket. */
  readonly port?: number;
}

/** A separate PostgreSQL server, with its data and its socket in a folder. Its user needs no password. */
export class PostgresCluster {
  readonly version: string;
  /** The name to connect with. */
  readonly user = databaseUser;
  readonly #inputs: ClusterInputs;
  #server: ChildProcess | undefined;

  private constructor(inputs: ClusterInputs) {
    this.#inputs = inputs;
    this.version = execFileSync(join(inputs.programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  }

  static async start(inputs: ClusterInputs): Promise<PostgresCluster> {
    const { folder, programs } = inputs;
    const account = serverAccount();
    chmodSync(folder, 0o755);
    for (const path of [dataDirOf(folder), socketDirOf(folder)]) {
      mkdirSync(path, { mode: 0o700 });
      if (account !== null) chownSync(path, account.uid, account.gid);
    }
    const initialise = [
      '-D',
      dataDirOf(folder),
      '-U',
      databaseUser,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale',
      'C',
      '--no-sync',
    ];
    execFileSync(join(programs, 'initdb'), initialise, {
      cwd: socketDirOf(folder),
      ...account,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const cluster = new PostgresCluster(inputs);
    await cluster.startServer();
    return cluster;
  }

  /** Starts the server again after `stop`. */
  async startServer(): Promise<void> {
    const { folder, programs, settings, port } = this.#inputs;
    const logFile = join(folder, 'server.log');
    const log = openSync(logFile, 'a');
    const address = port === undefined ? ['-h', ''] : ['-h', '127.0.0.1', '-p', String(port)];
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', dataDirOf(folder), '-k', socketDirOf(folder), ...address, ...given],
      { cwd: socketDirOf(folder), ...serverAccount(), stdio: ['ignore', log, log] },
    );
    closeSync(log);
    this.#server = server;
    for (let tries = 0; ; tries++) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, 'utf8')}`);
      try {
        await (await this.connect()).end();
        return;
      } catch (cause) {
        if (tries < startSecondsMax * 10) await delay(100);
        else {
          await this.stop();
          throw new Error(`PostgreSQL did not answer within ${startSecondsMax} s`, { cause });
        }
      }
    }
  }

  /** A client that returns every value as the server's text, so that reading rows costs as much as reading bytes. */
  async connect(): Promise<pg.Client> {
    const { folder, port } = this.#inputs;
    const asText = { getTypeParser: () => (value: string) => value };
    const host = socketDirOf(folder);
    const client = new pg.Client({
      host,
      user: databaseUser,
      database: 'postgres',
      types: asText,
      ...(port === undefined ? {} : { port }),
    });
    await client.connect();
    return client;
  }

  /** Process id of the server, which starts all its other processes. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Folder of its socket, for `host` of a client. */
  get socketDir(): string {
    return socketDirOf(this.#inputs.folder);
  }

  /** The URL of its database, over TCP. */
  get url(): string {
    return `postgres://${databaseUser}@127.0.0.1:${this.#inputs.port}/postgres`;
  }

  /** Ends the server, which breaks its connections. `crash`: as a loss of power would, without a checkpoint. */
  async stop(how: 'fast' | 'crash' = 'fast'): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
  }
}

const dataDirOf = (folder: string) => join(folder, 'data');
const socketDirOf = (folder: string) => join(folder, 'socket');

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

/** The folder of the newest installed server's programs; null if there is none. */
export function installedPrograms(): string | null {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).filter((version) => existsSync(join(root, version, 'bin', 'initdb')));
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(root, newest, 'bin');
}

/** Gives a file to the account that servers run as. */
export function ownForServer(path: string): void {
  const account = serverAccount();
  if (account !== null) chownSync(path, account.uid, account.gid);
}

/** The account `postgres`, which Debian's package makes, if this process runs as root; otherwise null, the process's own. */
function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
