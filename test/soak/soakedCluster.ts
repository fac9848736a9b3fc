import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startStandIn, type TestClickHouse } from '../clickhouse/startClickHouse.ts';
import { CuttableProxy } from '../support/cuttableProxy.ts';
import { freePort } from '../support/freePort.ts';
import { PostgresCluster, postgresPrograms } from '../support/postgresCluster.ts';
import type { Disturbances } from './disturbances.ts';
import { type LogEntry, SoakedService } from './soakedService.ts';

export interface ClusterOptions {
  readonly nodes: number;
  /** Readable by every account, because PostgreSQL does not run as root. */
  readonly workDir: string;
  readonly adminToken: string;
  /** Setting `store_stale_max`. */
  readonly staleSeconds: number;
  readonly disturbances: Disturbances;
  readonly onLog: (entry: LogEntry, node: number) => void;
}

/** The proxies between one node and the shared PostgreSQL and ClickHouse. */
export interface NodeLines {
  readonly store: CuttableProxy;
  readonly events: CuttableProxy;
}

/** Nodes that share one PostgreSQL and the stand-in of ClickHouse. */
export class SoakedCluster {
  readonly nodes: readonly SoakedService[];
  readonly lines: ReadonlyMap<SoakedService, NodeLines>;
  readonly postgres: PostgresCluster;
  readonly clickhouse: TestClickHouse;

  private constructor(
    lines: ReadonlyMap<SoakedService, NodeLines>,
    postgres: PostgresCluster,
    clickhouse: TestClickHouse,
  ) {
    this.nodes = [...lines.keys()];
    this.lines = lines;
    this.postgres = postgres;
    this.clickhouse = clickhouse;
  }

  /** Starts PostgreSQL and ClickHouse, and prepares the nodes. */
  static async prepare(options: ClusterOptions): Promise<SoakedCluster> {
    const programs = postgresPrograms();
    if ('missing' in programs) throw new Error(programs.missing);
    chmodSync(options.workDir, 0o755);
    const folder = join(options.workDir, 'postgres');
    mkdirSync(folder);
    const port = await freePort();
    const settings = { timezone: 'UTC', max_connections: '100' };
    const postgres = await PostgresCluster.start({ folder, programs: programs.path, settings, port });
    try {
      const clickhouse = await startStandIn();
      const lines = new Map<SoakedService, NodeLines>();
      for (let n = 0; n < options.nodes; n++) {
        const between = {
          store: await CuttableProxy.to(port),
          events: await CuttableProxy.to(Number(new URL(clickhouse.url).port)),
        };
        lines.set(nodeOf(options, n, postgres.url, between), between);
      }
      return new SoakedCluster(lines, postgres, clickhouse);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
  }

  linesOf(node: SoakedService): NodeLines {
    const found = this.lines.get(node);
    if (found === undefined) throw new Error('the node is of another cluster');
    return found;
  }

  /** Ends everything that was started. */
  async end(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    for (const { store, events } of this.lines.values()) await Promise.all([store.close(), events.close()]);
    await Promise.all([this.clickhouse.close(), this.postgres.stop()]);
  }
}

function nodeOf(options: ClusterOptions, n: number, postgresUrl: string, lines: NodeLines): SoakedService {
  const workDir = join(options.workDir, `node-${n}`);
  mkdirSync(workDir);
  const store = new URL(postgresUrl);
  store.port = String(lines.store.port);
  return new SoakedService({
    dataDir: join(workDir, 'data'),
    workDir,
    disturbances: options.disturbances,
    settings: {
      'log-level': 'info',
      'admin-token': options.adminToken,
      store: store.href,
      'store-stale-max': String(options.staleSeconds),
      events: 'clickhouse',
      'clickhouse-url': `http://127.0.0.1:${lines.events.port}`,
      'clickhouse-user': 'default',
      'clickhouse-reader-user': 'default',
    },
    onLog: (entry) => options.onLog(entry, n),
  });
}
