import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import type { StandInControl } from '../clickhouse/startClickHouse.ts';
import { killEngineOf, seconds, sendGreedy } from './faults.ts';
import type { SoakedCluster } from './soakedCluster.ts';
import type { SoakedService } from './soakedService.ts';
import type { SoakRun } from './soakRun.ts';
import { changedEndpoint } from './tokensAndEndpoints.ts';

export interface ClusterScene {
  readonly run: SoakRun;
  readonly random: SeededRandom;
  readonly cluster: SoakedCluster;
  /** Setting `store_stale_max` in milliseconds. */
  readonly staleMs: number;
}

/** Causes a fault and ends it; returns a sentence for the report. */
type ClusterFault = (scene: ClusterScene) => Promise<string>;

/** Everything must work again within this time after a fault. */
const backWithinMs = 60_000;

function anyNode({ run, random }: ClusterScene): SoakedService {
  return run.nodes[random.integer(0, run.nodes.length - 1)] ?? run.service;
}

const nameOf = ({ run }: ClusterScene, node: SoakedService): string => `node ${run.nodes.indexOf(node)}`;

const killNode: ClusterFault = async (scene) => {
  const node = anyNode(scene);
  const awayMs = scene.random.integer(0, 8) * 1000;
  const { readyMs } = await node.restart('SIGKILL', async () => await delay(awayMs));
  return `${nameOf(scene, node)}, started after ${seconds(awayMs)}, ready ${seconds(readyMs)} later`;
};

const terminateNode: ClusterFault = async (scene) => {
  const node = anyNode(scene);
  const { endedMs, readyMs } = await node.restart('SIGTERM');
  return `${nameOf(scene, node)} ended after ${seconds(endedMs)}, ready ${seconds(readyMs)} later`;
};

const killAll: ClusterFault = async ({ run }) => {
  const all = await Promise.all(run.nodes.map((node) => node.restart('SIGKILL')));
  return `all at once, ready after ${seconds(Math.max(...all.map(({ readyMs }) => readyMs)))}`;
};

const killEngine: ClusterFault = async (scene) => {
  const node = anyNode(scene);
  return `${nameOf(scene, node)}: ${await killEngineOf(scene.run, node)}`;
};

/** Restarts PostgreSQL, cleanly or as after a loss of power. */
const restartPostgres =
  (how: 'fast' | 'crash'): ClusterFault =>
  async (scene) => {
    const awayMs = scene.random.integer(0, 5) * 1000;
    return await withoutPostgres(scene, how, awayMs);
  };

/** PostgreSQL is down for longer than `staleMs`: then nodes must refuse every call that needs a token. */
const longWithoutPostgres: ClusterFault = async (scene) => {
  const { run, staleMs } = scene;
  return await withoutPostgres(scene, 'fast', staleMs + 10_000, async () => {
    await delay(staleMs + 2_000);
    await Promise.all(run.nodes.map(async (node) => await requireRefusal(run, node)));
  });
};

async function withoutPostgres(
  scene: ClusterScene,
  how: 'fast' | 'crash',
  awayMs: number,
  meanwhile: () => Promise<void> = async () => {},
): Promise<string> {
  const { run, cluster } = scene;
  const isOver = run.disturbances.begin('store-away');
  await cluster.postgres.stop(how);
  await Promise.all([delay(awayMs), meanwhile()]);
  await cluster.postgres.startServer();
  const backMs = await untilBack(scene, run.nodes, 'PostgreSQL came back');
  isOver();
  return `away for ${seconds(awayMs)}, everything works ${seconds(backMs)} later`;
}

/** One node cannot reach PostgreSQL for longer than `staleMs`; the others can, and revoke tokens. */
const cutStoreOfNode: ClusterFault = async (scene) => {
  const { run, cluster, random, staleMs } = scene;
  const node = anyNode(scene);
  const { store } = cluster.linesOf(node);
  const isOver = run.disturbances.begin('store-away', node);
  store.cut();
  await delay(staleMs + 2_000);
  if (node.isReady) await requireRefusal(run, node);
  await delay(random.integer(1, 10) * 1000);
  store.restore();
  const backMs = await untilBack(scene, [node], 'a node reached PostgreSQL again');
  isOver();
  return `${nameOf(scene, node)}, works ${seconds(backMs)} later`;
};

/** The open connections of a node to PostgreSQL stop responding. New connections work. */
const holdStoreOfNode: ClusterFault = async (scene) => {
  const { run, cluster } = scene;
  const node = anyNode(scene);
  const isOver = run.disturbances.begin('store-away', node);
  cluster.linesOf(node).store.hold();
  const backMs = await untilBack(scene, [node], 'the connections of a node to PostgreSQL fell silent');
  isOver();
  return `${nameOf(scene, node)} works again after ${seconds(backMs)}`;
};

const restartClickHouse: ClusterFault = async (scene) =>
  await withoutEvents(scene, scene.run.nodes, async (standIn) => await standIn.restart());

const cutClickHouse: ClusterFault = async (scene) =>
  await withoutEvents(scene, scene.run.nodes, async (standIn) => {
    await standIn.refuseConnections();
    await delay(scene.random.integer(3, 30) * 1000);
    await standIn.acceptConnections();
  });

const cutEventsOfNode: ClusterFault = async (scene) => {
  const node = anyNode(scene);
  const { events } = scene.cluster.linesOf(node);
  const told = await withoutEvents(scene, [node], async () => {
    events.cut();
    await delay(scene.random.integer(3, 30) * 1000);
    events.restore();
  });
  return `${nameOf(scene, node)}: ${told}`;
};

/** ClickHouse stores inserts without an answer, or refuses them; answers break off, or end with an exception. */
const brokenAnswers: ClusterFault = async (scene) =>
  await withoutEvents(scene, scene.run.nodes, async (standIn) => {
    await standIn.addFault({ kind: 'resetAfter', matching: '^INSERT', times: 6, after: 1 });
    await standIn.addFault({
      kind: 'error',
      code: 319,
      name: 'UNKNOWN_STATUS_OF_INSERT',
      matching: '^INSERT',
      times: 3,
    });
    await standIn.addFault({ kind: 'error', code: 252, name: 'TOO_MANY_PARTS', matching: '^INSERT', times: 6 });
    await standIn.addFault({ kind: 'brokenOff', afterBytes: 100, matching: 'FORMAT Parquet', times: 6 });
    await standIn.addFault({ kind: 'lateException', afterBytes: 50, matching: 'FORMAT Parquet', times: 3 });
    await delay(15_000);
    await standIn.clearFaults();
  });

async function withoutEvents(
  scene: ClusterScene,
  nodes: readonly SoakedService[],
  cause: (standIn: StandInControl) => Promise<void>,
): Promise<string> {
  const { run, cluster } = scene;
  const { standIn } = cluster.clickhouse;
  if (standIn === null) return 'left out: there is no stand-in';
  const ends = nodes.map((node) => run.disturbances.begin('events-away', node));
  const fromMs = performance.now();
  await cause(standIn);
  const lastedMs = performance.now() - fromMs;
  const backMs = await untilBack(scene, nodes, 'ClickHouse came back');
  for (const isOver of ends) isOver();
  return `for ${seconds(lastedMs)}, everything works ${seconds(backMs)} later`;
}

/** Milliseconds until every ready node reaches the store and answers a query over events. */
async function untilBack(scene: ClusterScene, nodes: readonly SoakedService[], after: string): Promise<number> {
  const { run } = scene;
  const fromMs = performance.now();
  for (const node of nodes) {
    while (node.isReady && !(await works(run, node))) {
      if (performance.now() - fromMs > backWithinMs) {
        run.find(`${nameOf(scene, node)} did not work again within a minute`, `after ${after}`);
        break;
      }
      await delay(100);
    }
  }
  const backMs = performance.now() - fromMs;
  run.measure(`until everything worked after ${after}`, backMs);
  return backMs;
}

async function works(run: SoakRun, node: SoakedService): Promise<boolean> {
  const ready = await run.send('readiness', '/readyz', {}, ['200', '503'], node);
  if (ready?.status !== 200 || JSON.parse(ready.text).store !== undefined) return false;
  const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'soakalder' })}`;
  const headers = { 'x-api-key': run.tokens.query };
  return (await run.send('newest rows', path, { headers }, ['200'], node))?.status === 200;
}

/** Sends a call that a node must refuse because it has not received revocations for too long. */
async function requireRefusal(run: SoakRun, node: SoakedService): Promise<void> {
  const headers = { 'x-api-key': run.tokens.query };
  const path = `/api/endpoints/query/${changedEndpoint.name}`;
  await run.send('calls without the store', path, { headers }, ['503 service.store_unavailable'], node);
}

/** The names that `--faults` takes with `--cluster`. */
export const clusterFaults: Readonly<Record<string, ClusterFault>> = {
  'kill-node': killNode,
  'terminate-node': terminateNode,
  'kill-all': killAll,
  'kill-engine': killEngine,
  'restart-postgres': restartPostgres('fast'),
  'crash-postgres': restartPostgres('crash'),
  'long-without-postgres': longWithoutPostgres,
  'cut-store-of-node': cutStoreOfNode,
  'hold-store-of-node': holdStoreOfNode,
  'restart-clickhouse': restartClickHouse,
  'cut-clickhouse': cutClickHouse,
  'cut-clickhouse-of-node': cutEventsOfNode,
  'broken-answers': brokenAnswers,
  greedy: async ({ run, random }) => await sendGreedy(run, random),
};
