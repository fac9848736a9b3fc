import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Fault } from './faults.ts';
import type { ControlRequest, StandInOptions, StandInState } from './standIn.ts';
import { standInArgs } from './standInArgs.ts';
import type { User } from './users.ts';

/** A ClickHouse for tests: the stand-in, or a server of the reader's own. */
export interface TestClickHouse {
  /** Without a path. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly version: string;
  /** What only the stand-in has; null for a server. */
  readonly standIn: StandInControl | null;
  /** Runs a statement as the user of the tests and returns its answer; throws an Error with ClickHouse's text. */
  readonly run: (statement: string, settings?: Readonly<Record<string, string>>) => Promise<string>;
  /** Like `run`, for answers that are not text. */
  readonly runForBytes: (statement: string, settings?: Readonly<Record<string, string>>) => Promise<Buffer>;
  /** Creates an empty database under a new name. It is dropped by `close`. */
  readonly createDatabase: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface StandInControl {
  readonly addFault: (fault: Fault) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly refuseConnections: () => Promise<void>;
  readonly acceptConnections: () => Promise<void>;
  /** Ends ClickHouse as kill -9 does, and starts it again. */
  readonly restart: () => Promise<void>;
  /** Replaces all users besides the default one. Restarts ClickHouse. */
  readonly setUsers: (users: readonly User[]) => Promise<void>;
  readonly state: () => Promise<StandInState>;
}

export interface StartOptions {
  readonly users?: readonly User[];
  /** Of the HTTP interface; a free one if absent. */
  readonly port?: number;
  /** A folder of data to open, which stays; if absent, a temporary one. */
  readonly folder?: string;
}

interface Installation {
  readonly clickHouseFolder: () => string;
  readonly isClickHouseInstalled: () => boolean;
}

const installation = (await import(
  new URL('../../scripts/installClickHouse.mjs', import.meta.url).href
)) as Installation;

/** Whether a test can have the stand-in here, such as for faults: it is left out by name otherwise. */
export const hasStandIn = installation.isClickHouseInstalled();

/** Whether a test can have the stand-in or a server: it is left out by name otherwise. */
export const hasClickHouse = hasStandIn || process.env.CLICKHOUSE_URL !== undefined;

/**
 * Starts the stand-in, or uses the server that the environment names: CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD
 * (npm run test:clickhouse). Options are for the stand-in only.
 */
export async function startClickHouse(options: StartOptions = {}): Promise<TestClickHouse> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: user = 'default', CLICKHOUSE_PASSWORD: password = '' } = process.env;
  if (url === undefined) return await startStandIn(options);
  const connection = { url: url.replace(/\/$/, ''), user, password };
  const version = (await runStatement(connection, 'SELECT version()')).trim();
  return testClickHouse(connection, version, null, async () => {});
}

/** Starts the stand-in even if the environment names a server: for tests of faults. */
export async function startStandIn({ users = [], port = 0, folder }: StartOptions = {}): Promise<TestClickHouse> {
  if (!installation.isClickHouseInstalled()) {
    throw new Error('ClickHouse for tests is not installed. Run "node scripts/installClickHouse.mjs" first.');
  }
  const options: StandInOptions = {
    packageFolder: installation.clickHouseFolder(),
    engineProgram: join(import.meta.dirname, 'engineProcess.mjs'),
    folder: folder ?? mkdtempSync(join(tmpdir(), 'clickhouse-')),
    keepsFolder: folder !== undefined,
    port,
    users,
  };
  const child = spawn(process.execPath, [...standInArgs(), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-4000);
  });
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the stand-in of ClickHouse did not start (${code}): ${complaint}`);
    }),
  ]);
  const {
    port: ownPort,
    controlPort,
    version,
  } = JSON.parse(line) as {
    readonly port: number;
    readonly controlPort: number;
    readonly version: string;
  };
  let isClosing = false;
  child.once('exit', (code, signal) => {
    // Otherwise a test would see refused connections, and not why.
    if (!isClosing) console.error(`The stand-in of ClickHouse ended (${signal ?? code}): ${complaint}`);
  });
  const connection = { url: `http://127.0.0.1:${ownPort}`, user: 'default', password: '' };
  return testClickHouse(connection, version, controlOf(controlPort), async () => {
    isClosing = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.end();
    await once(child, 'exit');
  });
}

interface Connection {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

function testClickHouse(
  connection: Connection,
  version: string,
  standIn: StandInControl | null,
  end: () => Promise<void>,
): TestClickHouse {
  const databases: string[] = [];
  const run: TestClickHouse['run'] = async (statement, settings = {}) =>
    await runStatement(connection, statement, settings);
  return {
    ...connection,
    version,
    standIn,
    run,
    runForBytes: async (statement, settings = {}) => await bytesOf(connection, statement, settings),
    createDatabase: async () => {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await run(`CREATE DATABASE ${name}`);
      databases.push(name);
      return name;
    },
    close: async () => {
      if (standIn === null) for (const name of databases) await run(`DROP DATABASE IF EXISTS ${name} SYNC`);
      await end();
    },
  };
}

async function runStatement(
  connection: Connection,
  statement: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await bytesOf(connection, statement, settings)).toString();
}

async function bytesOf(
  { url, user, password }: Connection,
  statement: string,
  settings: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const response = await fetch(`${url}/?${new URLSearchParams({ wait_end_of_query: '1', ...settings })}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    body: statement,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok || bytes.includes('__exception__')) throw new Error(bytes.toString().trim());
  return bytes;
}

function controlOf(port: number): StandInControl {
  const send = async (request: ControlRequest): Promise<StandInState> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(request) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as StandInState;
  };
  return {
    addFault: async (fault) => void (await send({ do: 'addFault', fault })),
    clearFaults: async () => void (await send({ do: 'clearFaults' })),
    refuseConnections: async () => void (await send({ do: 'refuseConnections' })),
    acceptConnections: async () => void (await send({ do: 'acceptConnections' })),
    restart: async () => void (await send({ do: 'restart' })),
    setUsers: async (users) => void (await send({ do: 'setUsers', users })),
    state: async () => await send({ do: 'state' }),
  };
}
