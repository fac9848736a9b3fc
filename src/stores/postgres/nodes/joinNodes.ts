import type { Clock } from '../../../core/clock.ts';
import { type Randomness, uuidV7 } from '../../../core/ids.ts';
import type { Observe } from '../../../core/observation.ts';
import type { Timer } from '../../../core/timer.ts';
import type { CachePurge } from '../../../ports/cachePurge.ts';
import type { QueryControl } from '../../../ports/queryControl.ts';
import type { UsageCounter } from '../../../ports/usageCounter.ts';
import { type ListensTo, NodeMessages, type RunsStatements } from './nodeMessages.ts';
import { NodePulse } from './nodePulse.ts';
import { purgeLeaseMs } from './nodeTimes.ts';
import { SharedCachePurge } from './sharedCachePurge.ts';
import { SharedQueryControl } from './sharedQueryControl.ts';
import { SharedRequestCounter } from './sharedRequestCounter.ts';
import { type Connects, SharedStates } from './sharedStates.ts';
import { SharedTokenRuns } from './sharedTokenRuns.ts';
import { SharedUsage } from './sharedUsage.ts';
import { SharedWorkClaims } from './sharedWorkClaims.ts';

export interface JoinInputs {
  readonly pool: RunsStatements & Connects;
  /** Must not have started yet. */
  readonly listener: ListensTo;
  /** The schema of the store. */
  readonly schema: string;
  /** The version of this package. */
  readonly version: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Another one than `purgeLeaseMs`, for tests on slow machines. */
  readonly purgeLeaseMs?: number;
}

/** What this node alone has. */
export interface LocalParts {
  readonly running: QueryControl;
  readonly cache: CachePurge;
  readonly usage: UsageCounter;
  /** Resolves when what other nodes stored applies on this one, so that later results are computed with it. */
  readonly adoptChanges: () => Promise<void>;
}

/** The ports that this node shares with the others. */
export interface SharedNode {
  readonly pulse: NodePulse;
  readonly requestCounter: SharedRequestCounter;
  readonly tokenRuns: SharedTokenRuns;
  readonly queryControl: SharedQueryControl;
  readonly cachePurge: SharedCachePurge;
  readonly usage: SharedUsage;
  readonly claims: SharedWorkClaims;
  /** Begins to exchange; call it after the listener was started. Resolves after the first heartbeat. */
  start(): Promise<void>;
  /** Tells the others that the node has gone. Call it before the connections are closed. Never rejects. */
  close(): Promise<void>;
}

/** Makes this process a node of the service whose store is this schema. */
export function joinNodes(inputs: JoinInputs, local: LocalParts): SharedNode {
  const { pool, listener, schema, version, clock, timer, randomness, observe } = inputs;
  const nodeId = uuidV7(clock.nowMicros() / 1000, randomness);
  const failed = (what: string) => (cause: unknown) => observe({ kind: 'nodes.out_of_contact', what, cause });
  const pulse = new NodePulse({ nodeId, version, pool, clock, timer, lost: failed('the heartbeat') });
  const messages = new NodeMessages({
    nodeId,
    pool,
    listener,
    channel: `${schema}_nodes`,
    timer,
    randomness,
    observe,
    others: () => pulse.others(),
  });
  const states = new SharedStates(pool);
  const counting = {
    nodeId,
    states,
    messages,
    clock,
    timer,
    clockOffsetMicros: () => pulse.clockOffsetMicros,
    nodeCount: () => pulse.others().length + 1,
  };
  const requestCounter = new SharedRequestCounter({ ...counting, failed: failed('the exchange of rates') });
  const tokenRuns = new SharedTokenRuns({ ...counting, failed: failed('the exchange of running queries') });
  const cachePurge = new SharedCachePurge({
    cache: local.cache,
    adoptChanges: local.adoptChanges,
    pool,
    messages,
    timer,
    leaseMs: inputs.purgeLeaseMs ?? purgeLeaseMs,
    failed: failed('the purges of other nodes'),
  });
  pulse.whenBeaten((beat) => cachePurge.beaten(beat));
  return {
    pulse,
    requestCounter,
    tokenRuns,
    queryControl: new SharedQueryControl(nodeId, local.running, messages),
    cachePurge,
    usage: new SharedUsage(local.usage, messages),
    claims: new SharedWorkClaims(nodeId, pool),
    start: async () => {
      await pulse.start();
      await cachePurge.followed();
      requestCounter.start();
      tokenRuns.start();
    },
    close: async () => {
      await Promise.all([requestCounter.close(), tokenRuns.close()]);
      await pulse.close();
    },
  };
}
