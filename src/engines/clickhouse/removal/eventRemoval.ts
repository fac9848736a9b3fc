import type { Clock } from '../../../core/clock.ts';
import { Mutex } from '../../../core/concurrency/mutex.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Observe } from '../../../core/observation.ts';
import type { ArrivalRange, CommitLedger, LedgerState } from '../../../ports/commitLedger.ts';
import type { RemovedEvents } from '../../../ports/fileManifest.ts';
import type { RemovalRecords } from '../../../ports/removalRecords.ts';
import { nothingRemoved } from '../../../retention/cutoffs.ts';
import type { DeletionToken, DeletionWait, EventDeletion } from '../../../retention/eventDeletion.ts';
import type { Removals } from '../../../retention/removals.ts';
import type { RetentionMark } from '../../../retention/retentionMark.ts';
import type { GivenNumbers } from '../log/givenNumbers.ts';
import { quoteText, timestampLiteral } from '../sqlText.ts';
import { partitionEnd } from '../tables/createTable.ts';
import { deletedCondition, joined, type Retained, rangeCondition, retained } from '../tables/visibleEvents.ts';
import { projectCondition } from '../tables/visibleRows.ts';
import type { StoredTables } from './storedTables.ts';

export interface EventRemovalOptions {
  readonly tables: StoredTables;
  /** Names of sources that have tables. */
  readonly sources: () => readonly string[];
  readonly removals: Removals;
  /** Deletions that were incomplete when the engine was opened. */
  readonly openDeletions: readonly EventDeletion[];
  readonly deletionDone: (deletion: EventDeletion) => Promise<void>;
  /** Applies removals and rules that other nodes have registered. */
  readonly followRemovals: () => Promise<void>;
  /** A number that changes with every change of the rules, by any node. Rules change only in `betweenRemovals`. */
  readonly rulesGeneration: () => Promise<number>;
  readonly ledger: CommitLedger;
  readonly numbers: Pick<GivenNumbers, 'take'>;
  readonly records: RemovalRecords;
  readonly refresh: () => Promise<LedgerState>;
  readonly node: string;
  readonly clock: Clock;
  readonly observe: Observe;
  readonly rulesWaitMs: number;
  readonly abandonedMs: number;
}

/** Only one node removes events, or changes rules, at a time. */
const lease = 'removal';
const leaseMs = 600_000;
const leaseEveryMs = 100;
/** How often rules may change before a removal is left for the next time. */
const attemptsMax = 3;

/**
 * Removes events that queries no longer see: of deletions, past their retention, and of abandoned commits. Each is first
 * hidden by a condition, and removed later; removing it twice does no harm.
 */
export class EventRemoval {
  readonly #options: EventRemovalOptions;
  readonly #turn = new Mutex();
  #open: readonly EventDeletion[];

  constructor(options: EventRemovalOptions) {
    this.#options = options;
    this.#open = options.openDeletions;
  }

  /** See StorageEngine. */
  async deleteEvents(register: (token: DeletionToken) => Promise<EventDeletion>): Promise<EventDeletion> {
    const { ledger, numbers, removals } = this.#options;
    let token: number;
    try {
      token = await numbers.take(async (known) => await ledger.takeNumber(known));
    } catch (cause) {
      throw new ServiceError('ingest.overloaded', 'The store does not answer, so nothing was deleted.', {
        cause,
        retryAfterSeconds: 2,
      });
    }
    const deletion = await register(token);
    removals.add(deletion);
    this.#open = [...this.#open, deletion];
    return deletion;
  }

  waitsOf(deletions: readonly EventDeletion[]): ReadonlyMap<DeletionToken, DeletionWait> {
    const { removals } = this.#options;
    return new Map(
      deletions.map(({ project, token }) => [
        token,
        { isCarriedOut: !removals.isInForce(project, token), quarantined: [] },
      ]),
    );
  }

  /** Removes what can be removed now. Does nothing while another node does so. */
  async removeNow(): Promise<void> {
    const { followRemovals, rulesGeneration } = this.#options;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const generation = await rulesGeneration();
      // Before this node's turn, because new rules are put in force in a turn as well.
      await followRemovals();
      if (await this.#turn.run(async () => await this.#removeUnder(generation))) return;
    }
  }

  /** Returns false, without removing anything, if the rules are not those of this generation any more. */
  async #removeUnder(generation: number): Promise<boolean> {
    if (!(await this.#lease())) return true;
    try {
      if ((await this.#options.rulesGeneration()) !== generation) return false;
      await this.#removeDeleted();
      await this.#removeExpired();
      await this.#removeAbandoned();
      return true;
    } finally {
      await this.#release();
    }
  }

  /** See StorageEngine. */
  async betweenRemovals<T>(work: () => Promise<T>): Promise<T> {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(busy()), this.#options.rulesWaitMs);
    try {
      return await this.#turn.run(
        async () => {
          while (!(await this.#lease())) await pause(leaseEveryMs, patience.signal);
          try {
            return await work();
          } finally {
            await this.#release();
          }
        },
        { signal: patience.signal },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when nothing is being removed. */
  async settled(): Promise<void> {
    await this.#turn.run(async () => {});
  }

  /** Rejects if another node has the lease, because this one held it for too long. */
  async #keepLease(): Promise<void> {
    if (!(await this.#lease())) throw new Error('another node has begun to remove events');
  }

  async #lease(): Promise<boolean> {
    const { ledger, node, clock } = this.#options;
    const nowMicros = clock.nowMicros();
    return await ledger.lease(lease, node, nowMicros, nowMicros + leaseMs * 1000);
  }

  async #release(): Promise<void> {
    const { ledger, node, observe } = this.#options;
    try {
      await ledger.release(lease, node);
    } catch (cause) {
      observe({ kind: 'warning', message: 'the lease on removing events could not be given back', cause });
    }
  }

  async #removeDeleted(): Promise<void> {
    const { removals, refresh, sources, tables, records, deletionDone } = this.#options;
    const { watermark } = await refresh();
    for (const deletion of removals.inForce) {
      // An open commit may still bring events of it.
      if (deletion.token > watermark) continue;
      const condition = deletedCondition(deletion);
      const removed: RemovedEvents[] = [];
      for (const source of deletion.source === null ? sources() : [deletion.source]) {
        const found = await tables.count(source, [condition]);
        if (found.rows[0] === 0) continue;
        removed.push({ deletion: deletion.token, source, events: found.rows[0] ?? 0, bytes: found.bytes });
      }
      // Before anything is removed, so that the count is right whatever is interrupted.
      await records.countDeleted(removed);
      for (const { source } of removed) {
        await this.#keepLease();
        await tables.delete(source, condition);
      }
      removals.settle(deletion);
    }
    for (const deletion of this.#open) {
      if (removals.isInForce(deletion.project, deletion.token)) continue;
      await deletionDone(deletion);
      this.#open = this.#open.filter((each) => each !== deletion);
    }
  }

  async #removeExpired(): Promise<void> {
    const { sources, removals, clock, tables } = this.#options;
    for (const source of sources()) {
      const all = retained(source, null, removals, clock.nowMicros());
      const limited = all.filter(({ cutoff }) => cutoff !== nothingRemoved);
      if (limited.length === 0) continue;
      await this.#keepLease();
      if (limited.length === all.length) await this.#dropWeeks(source, limited);
      const conditions = limited.map((each) => expiredCondition(each, all));
      const { rows } = await tables.count(source, conditions);
      const due = limited.filter((_, n) => rows[n] !== 0);
      if (due.length === 0) continue;
      await this.#mark(source, due);
      const any = conditions.filter((_, n) => rows[n] !== 0).map((each) => `(${each})`);
      await tables.delete(source, any.join(' OR '));
    }
  }

  /** Drops partitions that hold nothing but events past the retention of every project. */
  async #dropWeeks(source: string, all: readonly Retained[]): Promise<void> {
    const { tables } = this.#options;
    const cutoff = Math.min(...all.map((each) => each.cutoff));
    const expired = (await tables.partitions(source)).filter((partition) => {
      const end = partitionEnd(partition);
      return end !== null && end <= cutoff;
    });
    if (expired.length === 0) return;
    await this.#mark(source, all);
    for (const partition of expired) await tables.dropPartition(source, partition);
  }

  async #mark(source: string, all: readonly Retained[]): Promise<void> {
    const { records, removals } = this.#options;
    const marks = all.flatMap(({ projects, cutoff }): RetentionMark[] =>
      (projects ?? [null]).map((project) => ({ source, project, micros: cutoff })),
    );
    await records.advance(marks);
    removals.mark(marks);
  }

  /** Removes what abandoned commits have left, once nothing of them can arrive any more. */
  async #removeAbandoned(): Promise<void> {
    const { ledger, clock, abandonedMs, sources, tables } = this.#options;
    const ranges = await ledger.abandonedBefore(clock.nowMicros() - abandonedMs * 1000);
    if (ranges.length === 0) return;
    const condition = anyOf(joined(ranges));
    for (const source of sources()) {
      await this.#keepLease();
      const { rows } = await tables.count(source, [condition]);
      if (rows[0] !== 0) await tables.delete(source, condition);
    }
    await ledger.forget(ranges);
  }
}

function anyOf(ranges: readonly ArrivalRange[]): string {
  return ranges.map((range) => `(${rangeCondition(range)})`).join(' OR ');
}

/** TRUE for events of these projects that are past their retention. `all` is the retention of every project. */
function expiredCondition({ projects, cutoff }: Retained, all: readonly Retained[]): string {
  const before = `timestamp < ${timestampLiteral(cutoff)}`;
  if (projects !== null) return `${projectCondition(projects)} AND ${before}`;
  const own = all.flatMap((each) => each.projects ?? []);
  return own.length === 0 ? before : `project NOT IN (${own.map(quoteText).join(', ')}) AND ${before}`;
}

function busy(): ServiceError {
  return new ServiceError(
    'retention.busy',
    'Events are being removed, and rules can change only between two removals. Nothing was changed. Try again in a few seconds.',
    { retryAfterSeconds: 5 },
  );
}

/** Rejects with the signal's reason if it is aborted first. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
