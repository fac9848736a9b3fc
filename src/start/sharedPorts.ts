import type { ResultCache } from '../cache/resultCache.ts';
import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import { systemTimer } from '../core/timer.ts';
import type { RunningQueries } from '../invoke/runningQueries.ts';
import type { Usage } from '../observe/usage.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { NodeList } from '../ports/nodeList.ts';
import type { QueryControl } from '../ports/queryControl.ts';
import type { RequestCounter } from '../ports/requestCounter.ts';
import type { TokenRuns } from '../ports/tokenRuns.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import type { WorkClaims } from '../ports/workClaims.ts';
import { MemoryRequestCounter } from '../stores/memory/memoryRequestCounter.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';
import { MemoryWorkClaims } from '../stores/memory/memoryWorkClaims.ts';
import type { PostgresStore } from '../stores/postgres/openPostgres.ts';
import { packageVersion } from './packageInfo.ts';

/** Ports that the nodes of a service share, in addition to the stores. */
export interface SharedPorts {
  readonly requestCounter: RequestCounter;
  readonly tokenRuns: TokenRuns;
  readonly queryControl: QueryControl;
  readonly cachePurge: CachePurge;
  readonly usage: UsageCounter;
  readonly claims: WorkClaims;
  /** Null for one process. */
  readonly nodes: NodeList | null;
  /** `ResultCacheServices.isCurrent`. */
  isCacheCurrent(): boolean;
  /** Begins to exchange with other nodes. */
  start(): Promise<void>;
  /** Tells other nodes that this one has gone. Call it before the store is closed. */
  close(): Promise<void>;
}

/** The parts of this node alone. */
export interface NodeParts {
  readonly running: RunningQueries;
  readonly cache: ResultCache;
  readonly usage: Usage;
}

export interface SharedNodeInputs {
  /** The store that the nodes share. */
  readonly store: PostgresStore;
  readonly schema: string;
  /** Resolves when what other nodes stored applies on this one. */
  readonly adoptChanges: () => Promise<void>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
}

/**
 * Chooses the adapters of what nodes share (decision 69): if one process serves the store, its own parts are everything
 * there is to list, kill, purge and count; otherwise the nodes exchange by way of the store (decision 71).
 */
export async function sharedPorts(parts: NodeParts, shared: SharedNodeInputs | null): Promise<SharedPorts> {
  return shared === null ? ownPorts(parts) : await portsOfNodes(parts, shared);
}

function ownPorts({ running, cache, usage }: NodeParts): SharedPorts {
  return {
    requestCounter: new MemoryRequestCounter(),
    tokenRuns: new MemoryTokenRuns(),
    queryControl: running,
    cachePurge: cache,
    usage,
    claims: new MemoryWorkClaims(),
    nodes: null,
    isCacheCurrent: () => true,
    start: async () => undefined,
    close: async () => undefined,
  };
}

async function portsOfNodes({ running, cache, usage }: NodeParts, shared: SharedNodeInputs): Promise<SharedPorts> {
  // Loaded only by services whose store is in PostgreSQL.
  const { joinNodes } = await import('../stores/postgres/nodes/joinNodes.ts');
  const { store, schema, adoptChanges, clock, randomness, observe } = shared;
  // Lost messages are made good by what nodes read regularly.
  const listener = store.listener({ connected: () => undefined, lost: () => undefined });
  const node = joinNodes(
    {
      pool: store.pool,
      listener,
      schema,
      version: packageVersion(),
      clock,
      timer: systemTimer,
      randomness,
      observe,
    },
    { running, cache, usage, adoptChanges },
  );
  const { pulse, requestCounter, tokenRuns, queryControl, cachePurge, claims } = node;
  return {
    requestCounter,
    tokenRuns,
    queryControl,
    cachePurge,
    usage: node.usage,
    claims,
    nodes: pulse,
    isCacheCurrent: () => cachePurge.isCurrent,
    start: async () => {
      await listener.start();
      await node.start();
    },
    close: async () => {
      await node.close();
      await listener.close();
    },
  };
}
