import { freshSchema } from '../../../../test/support/postgresStores.ts';
import { ManualClock } from '../../../core/clock.ts';
import { systemRandomness } from '../../../core/ids.ts';
import type { Observation } from '../../../core/observation.ts';
import { systemTimer } from '../../../core/timer.ts';
import { openPostgres, type PostgresStore } from '../openPostgres.ts';
import { parsePostgresAddress } from '../postgresAddress.ts';
import type { PostgresListener } from '../postgresListener.ts';
import { joinNodes, type LocalParts, type SharedNode } from './joinNodes.ts';

export interface TestNode {
  readonly node: SharedNode;
  readonly store: PostgresStore;
  readonly clock: ManualClock;
  readonly observed: readonly Observation[];
  /** Ends the node as kill -9 does: it says nothing to the others. */
  vanish(): Promise<void>;
}

export interface TestNodes {
  /** Nodes of one schema, whose exchanges have not started by themselves. */
  readonly nodes: readonly TestNode[];
  /** Lets every node see every other one. */
  meet(): Promise<void>;
  close(): Promise<void>;
}

const nothingLocal: LocalParts = {
  running: { list: () => ({ queries: [], silentNodes: [] }), kill: () => undefined },
  cache: { purge: () => 0, dropAll: () => undefined },
  usage: { record: () => undefined, flush: async () => undefined },
  adoptChanges: async () => undefined,
};

/** Opens nodes on a new schema of the run's PostgreSQL server. */
export async function openNodes(
  count: number,
  localOf: (n: number) => Partial<LocalParts> = () => ({}),
  leaseMs = 30_000,
): Promise<TestNodes> {
  const { url, drop } = await freshSchema();
  const nodes: TestNode[] = [];
  for (let n = 0; n < count; n++) nodes.push(await openNode(url, { ...nothingLocal, ...localOf(n) }, leaseMs));
  const meet = async () => {
    for (let n = 0; n < 2; n++) for (const { node } of nodes) await node.pulse.beat();
  };
  await meet();
  return {
    nodes,
    meet,
    close: async () => {
      for (const { node } of nodes) await node.close();
      for (const each of nodes) await each.vanish();
      await drop();
    },
  };
}

async function openNode(url: string, local: LocalParts, leaseMs: number): Promise<TestNode> {
  const address = parsePostgresAddress(url);
  const timer = systemTimer;
  const store = await openPostgres({ address, release: '0.0.0', timer });
  const clock = new ManualClock(Date.now() * 1000);
  const observed: Observation[] = [];
  const listener: PostgresListener = store.listener({ connected: () => undefined, lost: () => undefined });
  const node = joinNodes(
    {
      pool: store.pool,
      listener,
      schema: address.schema,
      version: '0.0.0',
      clock,
      timer,
      randomness: systemRandomness,
      observe: (observation) => observed.push(observation),
      purgeLeaseMs: leaseMs,
    },
    local,
  );
  await listener.start();
  await node.pulse.beat();
  let isGone = false;
  return {
    node,
    store,
    clock,
    observed,
    vanish: async () => {
      if (isGone) return;
      isGone = true;
      await listener.close();
      await store.pool.end();
    },
  };
}
