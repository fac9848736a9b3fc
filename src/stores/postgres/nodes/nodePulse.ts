import type { Clock } from '../../../core/clock.ts';
import type { Timer } from '../../../core/timer.ts';
import type { NodeList, SeenNode } from '../../../ports/nodeList.ts';
import type { RunsStatements } from './nodeMessages.ts';
import { nodeLapseMs, nodePulseMs } from './nodeTimes.ts';

export interface NodePulseServices {
  readonly nodeId: string;
  readonly version: string;
  readonly pool: RunsStatements;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Called once for each loss of contact, with the cause. */
  readonly lost: (cause: unknown) => void;
}

/** A heartbeat that the database has answered. */
export interface Beat {
  /** When it was sent, by the timer; what it says was true at that time or later. */
  readonly sentMs: number;
  /** The number of the last purge. */
  readonly lastPurge: number;
}

interface NodeRow {
  readonly id: string;
  readonly version: string;
  readonly started_micros: number;
  readonly silent_ms: number;
  readonly now_micros: number;
  readonly last_purge: number;
}

/** Nodes that were silent for longer are not listed any more. */
const listedSeconds = 600;

/**
 * The heartbeat of this node: it says that the node is alive and reads which others are, how far the clock of the
 * database is ahead, and the last purge.
 */
export class NodePulse implements NodeList {
  readonly #services: NodePulseServices;
  readonly #listeners: ((beat: Beat) => void)[] = [];
  readonly #startedMicros: number;
  #others: readonly (Omit<SeenNode, 'isAlive'> & { readonly readMs: number })[] = [];
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #offsetMicros = 0;
  #cancel: () => void = () => undefined;
  #beating: Promise<boolean> | undefined;
  #isLost = false;
  #isClosed = false;

  constructor(services: NodePulseServices) {
    this.#services = services;
    this.#startedMicros = services.clock.nowMicros();
  }

  get id(): string {
    return this.#services.nodeId;
  }

  /** Microseconds that the clock of the database is ahead of this node's. */
  get clockOffsetMicros(): number {
    return this.#offsetMicros;
  }

  get outOfContactMs(): number {
    return this.#services.timer.nowMs() - this.#lastBeatMs;
  }

  list(): readonly SeenNode[] {
    const { timer, nodeId, version } = this.#services;
    const nowMs = timer.nowMs();
    const own = { id: nodeId, version, startedMicros: this.#startedMicros, silentMs: 0, isAlive: true };
    const others = this.#others.map(({ readMs, ...node }) => {
      // While this node has no contact, it cannot tell whether another one has gone.
      const silentMs = node.silentMs + (this.#isLost ? 0 : nowMs - readMs);
      return { ...node, silentMs, isAlive: silentMs < nodeLapseMs };
    });
    return [own, ...others].sort((a, b) => a.startedMicros - b.startedMicros || (a.id < b.id ? -1 : 1));
  }

  /** The other nodes that are alive. */
  others(): readonly string[] {
    return this.list()
      .filter(({ id, isAlive }) => isAlive && id !== this.id)
      .map(({ id }) => id);
  }

  /** Calls the listener after each heartbeat. */
  whenBeaten(listener: (beat: Beat) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves after the first heartbeat, whether or not it was answered. */
  async start(): Promise<void> {
    await this.beat();
  }

  /** Sends a heartbeat now, or waits for the one that is under way. Returns whether it was answered. */
  beat(): Promise<boolean> {
    this.#cancel();
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
      if (!this.#isClosed) this.#cancel = this.#services.timer.after(nodePulseMs, () => void this.beat());
    });
    return this.#beating;
  }

  /** Says that the node has gone, so that the others need not wait for it. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#beating;
    await this.#services.pool.query('delete from nodes where id = $1', [this.id]).catch(() => undefined);
  }

  async #beat(): Promise<boolean> {
    const { pool, timer, clock, nodeId, version, lost } = this.#services;
    const sentMs = timer.nowMs();
    const sentMicros = clock.nowMicros();
    try {
      const rows = await pool.query<NodeRow>(beatStatement, [nodeId, version, this.#startedMicros, listedSeconds]);
      const readMs = timer.nowMs();
      const [first] = rows;
      if (first === undefined) throw new Error('the heartbeat gave no row');
      // The statement ran somewhere between; half is the best guess.
      const answeredMicros = sentMicros + Math.floor((clock.nowMicros() - sentMicros) / 2);
      this.#offsetMicros = first.now_micros - answeredMicros;
      this.#others = rows
        .filter(({ id }) => id !== nodeId)
        .map(({ id, version: others, started_micros, silent_ms }) => {
          return { id, version: others, startedMicros: started_micros, silentMs: Math.max(0, silent_ms), readMs };
        });
      this.#lastBeatMs = sentMs;
      this.#isLost = false;
      for (const listener of this.#listeners) listener({ sentMs, lastPurge: first.last_purge });
      return true;
    } catch (cause) {
      if (!this.#isLost) lost(cause);
      this.#isLost = true;
      return false;
    }
  }
}

/** The row of this node is given even at its first heartbeat, which the selection cannot see. */
const beatStatement = `
with beat as (
  insert into nodes (id, version, started_micros, seen_at) values ($1, $2, $3::bigint, clock_timestamp())
  on conflict (id) do update set seen_at = clock_timestamp()
), gone as (
  delete from nodes where id <> $1 and seen_at < clock_timestamp() - $4 * interval '1 second'
)
select id, version, started_micros,
  floor(extract(epoch from clock_timestamp() - seen_at) * 1000)::bigint silent_ms,
  floor(extract(epoch from clock_timestamp()) * 1000000)::bigint now_micros,
  (select value from node_counters where name = 'purges') last_purge
from (
  select id, version, started_micros, seen_at from nodes where id <> $1
  union all select $1, $2, $3::bigint, clock_timestamp()
) seen`;
