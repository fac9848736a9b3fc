import { crc32 } from 'node:zlib';
import { quoteText } from '../sqlText.ts';
import type { ClickHouseServer } from './clickhouseServer.ts';
import type { ClickHouseServers } from './clickhouseServers.ts';
import { textWithin } from './textWithin.ts';

/** The shards that hold the events, and the servers through which each is written. */
export interface Shards {
  readonly count: number;
  /** The servers of a shard: its replicas. */
  serversOf(shard: number): ReadonlySet<ClickHouseServer>;
}

/** The shard that gets new events of a project, from 0. As the sharding key of Distributed tables (createTable.ts). */
export function shardOf(project: string, count: number): number {
  return count === 1 ? 0 : crc32(project) % count;
}

/** A server without a cluster: all URLs lead to the same tables. */
export function singleShard(servers: ClickHouseServers): Shards {
  const all = new Set(servers.all);
  return { count: 1, serversOf: () => all };
}

export function shardStatement(cluster: string): string {
  return `SELECT (SELECT max(shard_num) FROM system.clusters WHERE cluster = ${quoteText(cluster)}), (SELECT groupUniqArray(shard_weight) FROM system.clusters WHERE cluster = ${quoteText(cluster)}), (SELECT groupUniqArray(shard_num) FROM system.clusters WHERE cluster = ${quoteText(cluster)} AND is_local) FORMAT JSONCompact`;
}

/**
 * Asks each server for its shard of the cluster. Rejects with an Error that tells the operator what is wrong: the cluster
 * is unknown, its shards have different weights, or a shard has no server among the URLs that answers in time.
 */
export async function findShards(servers: ClickHouseServers, cluster: string, withinMs: number): Promise<Shards> {
  const statement = shardStatement(cluster);
  // At the same time, so that a silent server takes no time from the others.
  const answers = await Promise.allSettled(
    servers.all.map(async (server) => ({ server, text: await textWithin(server, { statement }, withinMs) })),
  );
  const byShard = new Map<number, Set<ClickHouseServer>>();
  let count = 0;
  const failures: unknown[] = [];
  for (const answer of answers) {
    try {
      if (answer.status === 'rejected') throw answer.reason;
      const { server, text } = answer.value;
      const found = parseShard(text);
      if (found.count === 0) throw new Error(`${server.url} knows no cluster named ${JSON.stringify(cluster)}`);
      if (!found.hasEqualWeights) {
        throw new Error(
          `the shards of the cluster ${JSON.stringify(cluster)} have different weights, and must have equal ones`,
        );
      }
      count = Math.max(count, found.count);
      for (const shard of found.own) byShard.set(shard - 1, (byShard.get(shard - 1) ?? new Set()).add(server));
    } catch (error) {
      failures.push(error);
    }
  }
  for (let shard = 0; shard < Math.max(count, 1); shard++) {
    if (byShard.has(shard)) continue;
    throw new Error(
      `no server of shard ${shard + 1} of the cluster ${JSON.stringify(cluster)} answers; LOGMILL_CLICKHOUSE_URL must name at least one of each shard`,
      { cause: failures[0] },
    );
  }
  const none: ReadonlySet<ClickHouseServer> = new Set();
  return { count, serversOf: (shard) => byShard.get(shard) ?? none };
}

interface FoundShard {
  readonly count: number;
  readonly hasEqualWeights: boolean;
  /** From 1. */
  readonly own: readonly number[];
}

function parseShard(text: string): FoundShard {
  const { data } = JSON.parse(text) as {
    readonly data: readonly (readonly [number, readonly number[], readonly number[]])[];
  };
  const [count = 0, weights = [], own = []] = data[0] ?? [];
  return { count: Number(count), hasEqualWeights: weights.length <= 1, own: own.map(Number) };
}
