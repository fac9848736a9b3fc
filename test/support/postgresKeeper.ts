// Entry of a process: keeps a PostgreSQL server for a test run in the folder given as its first argument, until the
// process with the id given as its second one has ended, or until it gets SIGTERM. Then it removes the folder.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './freePort.ts';
import { installedPrograms, PostgresCluster } from './postgresCluster.ts';

const [folder = '', keptFor = ''] = process.argv.slice(2);

/** Without durability, and small: tests check what a commit means by other connections, and start few of them. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '24MB',
  max_connections: '90',
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  jit: 'off',
  timezone: 'UTC',
};

function say(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.part`), text);
  renameSync(join(folder, `${name}.part`), join(folder, name));
}

let cluster: PostgresCluster | undefined;
async function end(): Promise<never> {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

function isKept(): boolean {
  try {
    process.kill(Number(keptFor), 0);
    return true;
  } catch {
    return false;
  }
}

process.once('SIGTERM', () => void end());
setInterval(() => {
  if (!isKept()) void end();
}, 500);

const server = join(folder, 'server');
mkdirSync(server, { mode: 0o755 });
try {
  const programs = installedPrograms();
  if (programs === null) throw new Error('PostgreSQL is not installed');
  cluster = await PostgresCluster.start({ folder: server, programs, settings, port: await freePort() });
  say('ready', cluster.url);
} catch (error) {
  say('failed', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
