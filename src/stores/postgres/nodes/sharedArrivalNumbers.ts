import { HeldNumbers } from '../../../core/concurrency/heldNumbers.ts';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import type { Timer } from '../../../core/timer.ts';
import { type ArrivalNumbers, storedWithinMs, type TakenArrivals } from '../../../ports/arrivalNumbers.ts';
import type { RunsStatements } from './nodeMessages.ts';
import { arrivalLapseMs, nodePulseMs } from './nodeTimes.ts';

export interface SharedArrivalServices {
  readonly nodeId: string;
  readonly pool: RunsStatements;
  readonly timer: Timer;
  /** Called once if the others cannot be told which numbers this node holds. */
  readonly failed: (cause: unknown) => void;
}

/** Numbers that a node reserves at once. */
const blockSize = 10_000;
/** Numbers are current until this time after the node last said that it holds them. */
const currentMs = arrivalLapseMs - storedWithinMs - 5_000;

/**
 * Arrival numbers of all nodes. A node reserves blocks of numbers and states the lowest number that it may still store,
 * in the same statement. It restates it with a pulse of its own, and gives up the rest of a block that it does not use,
 * so that idle nodes hold nothing back. A node that was silent for `arrivalLapseMs` no longer counts, and until then
 * stores nothing under its numbers any more.
 */
export class SharedArrivalNumbers implements ArrivalNumbers {
  readonly #services: SharedArrivalServices;
  #held = new HeldNumbers();
  readonly #lane = new Mutex();
  #next = 0;
  #below = 0;
  /** When this node last stated a watermark. */
  #statedMs = Number.NEGATIVE_INFINITY;
  #hasStated = false;
  #wasUsed = false;
  #watermark = 0;
  #isFailing = false;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(services: SharedArrivalServices) {
    this.#services = services;
  }

  start(): void {
    this.#later();
  }

  async take(count: number): Promise<TakenArrivals> {
    return await this.#lane.run(async () => {
      this.#wasUsed = true;
      this.#leaveLapsed();
      if (this.#next + count > this.#below) await this.#reserve(count);
      const first = this.#next;
      this.#next += count;
      const held = this.#held;
      // Numbers that have lapsed once stay lapsed, because the watermark may have passed them.
      const isCurrent = () => held === this.#held && this.#isCurrent();
      return { first, count, isCurrent, end: held.hold(first) };
    });
  }

  async watermark(): Promise<number> {
    const [row] = await this.#services.pool.query<{ watermark: number }>(
      `select least(
         (select value + 1 from node_counters where name = 'arrivals'),
         (select min(watermark) from arrival_holders where beaten_at > clock_timestamp() - $1 * interval '1 millisecond')
       ) watermark`,
      [arrivalLapseMs],
    );
    this.#watermark = Math.max(this.#watermark, row?.watermark ?? 0);
    return this.#watermark;
  }

  /** Says now which numbers this node holds. Never rejects. */
  async state(): Promise<void> {
    await this.#lane.run(async () => {
      try {
        await this.#state();
        this.#isFailing = false;
      } catch (cause) {
        if (!this.#isFailing) this.#services.failed(cause);
        this.#isFailing = true;
      }
    });
  }

  /** Gives up every number. Numbers that were not ended still hold the watermark back until the node has lapsed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#wasUsed = false;
    await this.state();
  }

  #later(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#services.timer.after(nodePulseMs, () => {
      void this.state().finally(() => this.#later());
    });
  }

  #isCurrent(): boolean {
    return this.#services.timer.nowMs() - this.#statedMs < currentMs;
  }

  /** Gives up every number if the node was silent for so long that the watermark may pass them. */
  #leaveLapsed(): void {
    if (this.#isCurrent()) return;
    this.#next = this.#below;
    if (this.#held.lowest !== undefined) this.#held = new HeldNumbers();
  }

  /** Reserves a block of at least `count` numbers. The rest of the block before is never used. */
  async #reserve(count: number): Promise<void> {
    const { pool, nodeId, timer } = this.#services;
    const sentMs = timer.nowMs();
    const [row] = await pool.query<{ first: number; below: number }>(
      `with block as (
         update node_counters set value = value + $2::bigint where name = 'arrivals'
         returning value - $2::bigint + 1 as first, value + 1 as below
       ), stated as (
         insert into arrival_holders as known (node, watermark, beaten_at)
         select $1, least(first, $3::bigint), clock_timestamp() from block
         on conflict (node) do update set watermark = excluded.watermark, beaten_at = excluded.beaten_at
       )
       select first, below from block`,
      [nodeId, Math.max(count, blockSize), this.#held.lowest ?? null],
    );
    if (row === undefined) throw new Error('no arrival numbers were reserved');
    this.#next = row.first;
    this.#below = row.below;
    this.#statedMs = sentMs;
    this.#hasStated = true;
  }

  async #state(): Promise<void> {
    const { pool, nodeId, timer } = this.#services;
    if (!this.#hasStated) return;
    this.#leaveLapsed();
    if (!this.#wasUsed) this.#next = this.#below;
    this.#wasUsed = false;
    const lowest = this.#held.lowest ?? (this.#next < this.#below ? this.#next : undefined);
    const sentMs = timer.nowMs();
    if (lowest === undefined) {
      await pool.query('delete from arrival_holders where node = $1', [nodeId]);
      this.#hasStated = false;
      return;
    }
    await pool.query(
      `insert into arrival_holders (node, watermark, beaten_at) values ($1, $2, clock_timestamp())
       on conflict (node) do update set watermark = excluded.watermark, beaten_at = excluded.beaten_at`,
      [nodeId, lowest],
    );
    this.#statedMs = sentMs;
  }
}
