import * as z from 'zod';
import type { Timer } from '../../../core/timer.ts';
import type { CachePurge } from '../../../ports/cachePurge.ts';
import type { AsksNodes, RunsStatements } from './nodeMessages.ts';
import type { Beat } from './nodePulse.ts';

export interface SharedCachePurgeServices {
  /** The cache of this node. */
  readonly cache: CachePurge;
  /** Resolves when what other nodes stored applies on this one. */
  readonly adoptChanges: () => Promise<void>;
  readonly pool: RunsStatements;
  readonly messages: AsksNodes;
  readonly timer: Timer;
  /** `purgeLeaseMs`. */
  readonly leaseMs: number;
  /** Called if the purges of others cannot be read. */
  readonly failed: (cause: unknown) => void;
}

const purgeMessage = z.object({ number: z.number(), endpointId: z.string().nullable() });

/** What a silent node may take for a heartbeat that it sent just before the purge. */
const marginMs = 100;
/** Applied purges that are remembered, so that none drops results that were cached after it. */
const appliedMax = 1_000;

/**
 * Purges the caches of all nodes. A purge has a number, given in the order in which purges are committed, and each
 * heartbeat reads the last one. A node answers from its cache only while it knows all purges up to a moment ago, so a
 * purge is complete when the others have answered, or when those that have not may no longer use their caches.
 */
export class SharedCachePurge implements CachePurge {
  readonly #services: SharedCachePurgeServices;
  readonly #applied = new Set<number>();
  /** The last purge up to which this node has applied all; undefined before the first heartbeat. */
  #last: number | undefined;
  #currentUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();

  constructor(services: SharedCachePurgeServices) {
    this.#services = services;
    services.messages.on('purge', async (_, body) => {
      const { number, endpointId } = purgeMessage.parse(body);
      await this.#apply(number, endpointId);
      return true;
    });
  }

  /** Whether this node has applied every purge that is complete, so that it may answer from its cache. */
  get isCurrent(): boolean {
    return this.#services.timer.nowMs() < this.#currentUntilMs;
  }

  /** Applies the purges that a heartbeat told of. Call it for each heartbeat. */
  beaten(beat: Beat): void {
    this.#reading = this.#reading.then(() => this.#follow(beat)).catch(this.#services.failed);
  }

  /** Resolves when every heartbeat so far was followed. */
  async followed(): Promise<void> {
    await this.#reading;
  }

  async purge(endpointId: string): Promise<number> {
    const dropped = await this.#services.cache.purge(endpointId);
    await this.#publish(endpointId);
    return dropped;
  }

  async dropAll(): Promise<void> {
    await this.#services.cache.dropAll();
    await this.#publish(null);
  }

  async #publish(endpointId: string | null): Promise<void> {
    const { pool, messages, timer, leaseMs } = this.#services;
    const [row] = await pool.query<{ number: number }>(
      `with next as (update node_counters set value = value + 1 where name = 'purges' returning value)
       insert into cache_purges (number, endpoint_id, purged_at) select value, $1, clock_timestamp() from next returning number`,
      [endpointId],
    );
    if (row === undefined) throw new Error('the purge has no number');
    const purgedMs = timer.nowMs();
    this.#remember(row.number);
    const { silent } = await messages.ask('purge', { number: row.number, endpointId });
    if (silent.length === 0) return;
    const leftMs = purgedMs + leaseMs + marginMs - timer.nowMs();
    await new Promise<void>((resolve) => {
      timer.after(Math.max(0, leftMs), resolve);
    });
  }

  async #follow({ sentMs, lastPurge }: Beat): Promise<void> {
    const { pool, timer, leaseMs } = this.#services;
    const untilMs = sentMs + leaseMs;
    // If an older copy of the store was restored, purges get numbers again that others had.
    const wentBack = this.#last !== undefined && lastPurge < this.#last;
    if (this.#last === undefined || wentBack || timer.nowMs() >= this.#currentUntilMs) {
      // Purges may have been completed without this node.
      this.#applied.clear();
      await this.#dropAllOfOthers();
    } else if (lastPurge > this.#last) {
      const purges = await pool.query<{ number: number; endpoint_id: string | null }>(
        'select number, endpoint_id from cache_purges where number > $1 and number <= $2',
        [this.#last, lastPurge],
      );
      // The table does not survive a crash of the server, and old rows are removed.
      if (purges.length < lastPurge - this.#last) await this.#dropAllOfOthers();
      else for (const { number, endpoint_id } of purges) await this.#apply(number, endpoint_id);
    }
    this.#last = lastPurge;
    this.#currentUntilMs = Math.max(this.#currentUntilMs, untilMs);
  }

  async #apply(number: number, endpointId: string | null): Promise<void> {
    if (this.#applied.has(number)) return;
    if (endpointId === null) await this.#dropAllOfOthers();
    else await this.#services.cache.purge(endpointId);
    this.#remember(number);
  }

  /** Results are dropped because something changed, which must apply first. */
  async #dropAllOfOthers(): Promise<void> {
    await this.#services.adoptChanges();
    await this.#services.cache.dropAll();
  }

  #remember(number: number): void {
    this.#applied.add(number);
    const [oldest] = this.#applied;
    if (this.#applied.size > appliedMax && oldest !== undefined) this.#applied.delete(oldest);
  }
}
