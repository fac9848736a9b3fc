import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/freePort.ts';
import { PostgresCluster, postgresPrograms } from '../../test/support/postgresCluster.ts';
import type { BenchedService } from '../benchedService.ts';
import type { LoadedClickHouse } from './loadedClickHouse.ts';
import { preparePostgres, startNode } from './nodes.ts';
import type { Question } from './questions.ts';

export interface FanOut {
  readonly nodes: number;
  readonly calls: number;
  /** Of all nodes, without what they use if nobody calls. */
  readonly processorMsPerCall: number;
  /** Of one node if nobody calls: milliseconds in a second. */
  readonly idleMsPerSecond: number;
  readonly callsPerSecond: number;
}

/** How many times as long a call may take with several nodes, as processor time, for the nodes to scale. */
export const ratioMax = 1.2;

/** Processor time of a call with the most nodes, as a multiple of that with one node. */
export function scalingRatio(measured: readonly FanOut[]): number {
  const most = Math.max(...measured.map(({ nodes }) => nodes));
  const meanOf = (some: readonly FanOut[]) =>
    some.reduce((sum, { processorMsPerCall }) => sum + processorMsPerCall, 0) / some.length;
  return meanOf(measured.filter(({ nodes }) => nodes === most)) / meanOf(measured.filter(({ nodes }) => nodes === 1));
}

const nodesMax = 3;
/** Calls that each node answers at a time. */
const clients = 2;
const idleMs = 4000;

/**
 * Asks one node, then three, then one again, each node the same number of calls. Nodes share one PostgreSQL and the
 * stand-in, which runs one statement at a time, so only the processor time of nodes tells how they scale.
 */
export async function measureFanOut(
  folder: string,
  release: string,
  loaded: LoadedClickHouse,
  questions: readonly Question[],
  { rounds, say }: { readonly rounds: number; readonly say: (text: string) => void },
): Promise<readonly FanOut[]> {
  const programs = postgresPrograms();
  if ('missing' in programs) {
    say(`${programs.missing}: the fan-out is left out`);
    return [];
  }
  const postgresDir = join(folder, 'postgres');
  mkdirSync(postgresDir);
  const postgres = await PostgresCluster.start({
    folder: postgresDir,
    programs: programs.path,
    settings: { timezone: 'UTC' },
    port: await freePort(),
  });
  const nodes: BenchedService[] = [];
  try {
    await preparePostgres(postgres.url, release, loaded);
    const measured: FanOut[] = [];
    for (const count of [1, nodesMax, 1]) {
      while (nodes.length > count) await nodes.pop()?.stop();
      while (nodes.length < count) {
        const node = await startNode(join(folder, `node-${nodes.length}`), loaded.clickhouse.url, {
          LOGMILL_STORE: postgres.url,
        });
        nodes.push(node);
        // V8 has not compiled the code of a new node yet.
        await askAll([node], questions, rounds);
      }
      say(`asking ${count} ${count === 1 ? 'node' : 'nodes'}`);
      measured.push(await measureNodes(nodes, questions, rounds));
    }
    return measured;
  } finally {
    for (const node of nodes) await node.stop();
    await postgres.stop();
  }
}

async function measureNodes(
  nodes: readonly BenchedService[],
  questions: readonly Question[],
  rounds: number,
): Promise<FanOut> {
  const used = () => nodes.reduce((sum, node) => sum + node.processorMs(), 0);
  const idleFrom = used();
  await delay(idleMs);
  const idleMsPerSecond = (used() - idleFrom) / (idleMs / 1000) / nodes.length;
  const from = used();
  const startedMs = performance.now();
  const calls = await askAll(nodes, questions, rounds);
  const seconds = (performance.now() - startedMs) / 1000;
  const idle = idleMsPerSecond * seconds * nodes.length;
  return {
    nodes: nodes.length,
    calls,
    processorMsPerCall: (used() - from - idle) / calls,
    idleMsPerSecond,
    callsPerSecond: calls / seconds,
  };
}

/** Every node answers each question `rounds` times. Returns the number of calls. */
async function askAll(
  nodes: readonly BenchedService[],
  questions: readonly Question[],
  rounds: number,
): Promise<number> {
  let calls = 0;
  await Promise.all(
    nodes.flatMap(({ url }) => {
      const left = Array.from({ length: rounds }, () => questions).flat();
      return Array.from({ length: clients }, async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          await next.ask(url);
          calls += 1;
        }
      });
    }),
  );
  return calls;
}
