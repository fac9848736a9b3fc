import type { ResultCache } from '../cache/resultCache.ts';
import type { QueryQueue } from '../invoke/queryQueue.ts';
import type { MetricReadings } from '../observe/metrics.ts';
import type { NodeList } from '../ports/nodeList.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';

/** What metrics show of the nodes. */
export function nodeReadings(nodes: NodeList | null): Pick<MetricReadings, 'nodesAlive' | 'outOfContactSeconds'> {
  if (nodes === null) return { nodesAlive: 1, outOfContactSeconds: 0 };
  const nodesAlive = nodes.list().filter(({ isAlive }) => isAlive).length;
  return { nodesAlive, outOfContactSeconds: nodes.outOfContactMs / 1000 };
}

/** What metrics show of the parts of this node. */
export function readingsOf(
  queue: QueryQueue,
  cache: ResultCache,
  storage: StorageEngine,
): Omit<MetricReadings, 'store' | 'tailsOpen' | 'nodesAlive' | 'outOfContactSeconds'> {
  const engine = storage.readings?.() ?? { memoryBytes: [], activeParts: 0, sealedParts: 0 };
  return {
    queriesRunning: queue.runningCount,
    queriesWaiting: queue.waitingCount,
    cacheEntries: cache.entryCount,
    cacheBytes: cache.bytes,
    serviceMemoryBytes: process.memoryUsage.rss(),
    engineMemoryBytes: engine.memoryBytes,
    activeFiles: engine.activeParts,
    sealedFiles: engine.sealedParts,
    diskFreeBytes: storage.space?.freeBytes ?? null,
    isDiskLow: storage.space?.isLow ?? false,
  };
}
