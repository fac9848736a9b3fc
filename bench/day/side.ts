import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PostgresCluster } from '../../test/support/postgresCluster.ts';
import { type BenchedService, token } from '../benchedService.ts';
import { listeningUrl } from '../listeningUrl.ts';
import { memoryBytes, processorSecondsOfTree } from '../processTree.ts';
import type { BareStatementsInputs } from './bareStatements.ts';
import { logmillRequest, postgresRequest, type Question, type Request, texts } from './questions.ts';

/** One of the two stacks that live through the same day. */
export interface Side {
  readonly name: string;
  readonly url: string;
  /** How it is asked. */
  requestOf(question: Question): Request;
  /** Where a batch of events of a source is sent. */
  eventsPath(source: string): string;
  /** Processor time of all its processes so far, milliseconds. */
  processorMs(): number;
  /** Memory of all its processes, in which shared pages count once. */
  memoryBytes(): number;
}

export function logmillSide(service: BenchedService): Side {
  const { url, pid } = service;
  if (pid === undefined) throw new Error('the service has no process');
  return {
    name: 'Logmill',
    url,
    requestOf: logmillRequest,
    eventsPath: (source) => `/api/logs?source=${source}`,
    processorMs: () => processorSecondsOfTree(pid) * 1000,
    memoryBytes: () => memoryBytes(pid),
  };
}

/** PostgreSQL behind a bare Fastify route without a cache, in a process of its own. */
export class PostgresSide implements Side {
  readonly name = 'PostgreSQL';
  readonly url: string;
  readonly #route: ChildProcess;
  readonly #pids: readonly number[];

  private constructor(route: ChildProcess, url: string, pids: readonly number[]) {
    this.#route = route;
    this.url = url;
    this.#pids = pids;
  }

  static async start(cluster: PostgresCluster): Promise<PostgresSide> {
    const inputs: BareStatementsInputs = {
      token,
      host: cluster.socketDir,
      user: cluster.user,
      statements: Object.fromEntries(Object.entries(texts).map(([name, { postgres }]) => [name, postgres])),
    };
    const script = join(import.meta.dirname, 'bareStatements.ts');
    const route = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(inputs)], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await listeningUrl(route, 'the route in front of PostgreSQL');
    const pids = [route.pid, cluster.pid].filter((pid) => pid !== undefined);
    return new PostgresSide(route, url, pids);
  }

  requestOf(question: Question): Request {
    return postgresRequest(question);
  }

  eventsPath(source: string): string {
    return `/events?source=${source}`;
  }

  processorMs(): number {
    return this.#pids.reduce((sum, pid) => sum + processorSecondsOfTree(pid), 0) * 1000;
  }

  memoryBytes(): number {
    return this.#pids.reduce((sum, pid) => sum + memoryBytes(pid), 0);
  }

  async stop(): Promise<void> {
    const exited = once(this.#route, 'exit');
    this.#route.kill();
    await exited;
  }
}
