import { randomBytes } from 'node:crypto';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { clusterFaults } from './clusterFaults.ts';
import { evenSchedule } from './schedule.ts';
import { SoakedCluster } from './soakedCluster.ts';
import type { SoakRun } from './soakRun.ts';
import { requireFaults, type SoakTarget } from './soakTarget.ts';
import type { WatchedLog } from './watchedLog.ts';

export interface SeveralNodesOptions {
  readonly run: SoakRun;
  readonly log: WatchedLog;
  readonly workDir: string;
  readonly nodes: number;
  /** Setting `store_stale_max`. */
  readonly staleSeconds: number;
  /** All if absent. */
  readonly faultNames?: readonly string[] | undefined;
  readonly durationMs: number;
  readonly seed: string;
}

/** Several nodes with one PostgreSQL and the stand-in of ClickHouse. */
export async function severalNodes(options: SeveralNodesOptions): Promise<SoakTarget> {
  const { run, log, durationMs, seed, staleSeconds, faultNames = Object.keys(clusterFaults) } = options;
  requireFaults(faultNames, clusterFaults);
  const adminToken = randomBytes(24).toString('base64url');
  const cluster = await SoakedCluster.prepare({
    ...options,
    adminToken,
    disturbances: run.disturbances,
    onLog: (entry, node) => log.read(entry, `node ${node}`),
  });
  const random = new SeededRandom(`${seed} faults`);
  const scene = { run, random, cluster, staleMs: staleSeconds * 1000 };
  return {
    nodes: cluster.nodes,
    plan: evenSchedule(faultNames, durationMs, seed),
    start: async () => {
      await cluster.start();
      return adminToken;
    },
    cause: async (name) => (await clusterFaults[name]?.(scene)) ?? '',
    settled: async () => {},
    close: async () => await cluster.end(),
  };
}
