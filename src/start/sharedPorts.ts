import type { ResultCache } from '../cache/resultCache.ts';
import type { RunningQueries } from '../invoke/runningQueries.ts';
import type { Usage } from '../observe/usage.ts';
import type { CachePurge } from '../ports/cachePurge.ts';
import type { QueryControl } from '../ports/queryControl.ts';
import type { RequestCounter } from '../ports/requestCounter.ts';
import type { TokenRuns } from '../ports/tokenRuns.ts';
import type { UsageCounter } from '../ports/usageCounter.ts';
import { MemoryRequestCounter } from '../stores/memory/memoryRequestCounter.ts';
import { MemoryTokenRuns } from '../stores/memory/memoryTokenRuns.ts';

/** Ports that the nodes of a service share, in addition to the stores. */
export interface SharedPorts {
  readonly requestCounter: RequestCounter;
  readonly tokenRuns: TokenRuns;
  readonly queryControl: QueryControl;
  readonly cachePurge: CachePurge;
  readonly usage: UsageCounter;
}

/** The parts of this node alone. */
export interface NodeParts {
  readonly running: RunningQueries;
  readonly cache: ResultCache;
  readonly usage: Usage;
}

/**
 * Chooses the adapters of what nodes share (decision 69). One process serves a data folder, so its own parts are
 * everything there is to list, kill, purge and count.
 */
export function sharedPorts({ running, cache, usage }: NodeParts): SharedPorts {
  return {
    requestCounter: new MemoryRequestCounter(),
    tokenRuns: new MemoryTokenRuns(),
    queryControl: running,
    cachePurge: cache,
    usage,
  };
}
