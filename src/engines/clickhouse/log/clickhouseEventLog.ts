import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../core/clock.ts';
import { Pause, type Turns } from '../../../core/concurrency/turns.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Observe } from '../../../core/observation.ts';
import type { Timer } from '../../../core/timer.ts';
import { committedEvents, takeGroup } from '../../../ports/commitGroup.ts';
import type { ArrivalRange, Begun, BegunBatch, CommitLedger } from '../../../ports/commitLedger.ts';
import type { NumberedBatch } from '../../../ports/eventCopies.ts';
import type { AppendOutcome, BatchIdentity, EventBatch, EventLog, RepeatedOutcome } from '../../../ports/eventLog.ts';
import type { Source } from '../../../sources/source.ts';
import { unknownSource } from '../../../sources/unknownSource.ts';
import { shardOf } from '../connection/shards.ts';
import type { ClickHouseSettings } from '../settings.ts';
import type { CommitWatch } from './commitWatch.ts';
import type { CompleteCommits } from './completeCommits.ts';
import type { GivenNumbers } from './givenNumbers.ts';
import type { RowInsert } from './insertRows.ts';
import { type EncodedBatch, insertsOf } from './insertsOf.ts';
import { type EncodedRows, encodeRows } from './rowBinary.ts';

export interface ClickHouseEventLogOptions {
  /** Sources whose tables exist, by name. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly ledger: CommitLedger;
  readonly commits: CompleteCommits;
  readonly numbers: Pick<GivenNumbers, 'take'>;
  readonly watch: Pick<CommitWatch, 'expect'>;
  /** Stores rows as `InsertRows.store` does. */
  readonly store: (inserts: readonly RowInsert[]) => Promise<void>;
  /** The stored table of a source, for statements. */
  readonly tableOf: (source: string) => string;
  readonly shardCount: () => number;
  /** Name of this node in the ledger: another one for each start. */
  readonly node: string;
  /** Whether ClickHouse has more parts than it can merge soon. */
  readonly isBehind: () => boolean;
  readonly settings: ClickHouseSettings;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly turns: Turns;
  readonly observe: Observe;
}

/** Rows of a batch that go to one shard. */
export interface ShardRows {
  readonly shard: number;
  readonly rows: EncodedRows;
}

/** A batch that waits for its commit. */
interface Waiting {
  readonly batch: EventBatch;
  readonly source: Source;
  readonly encoded: readonly ShardRows[];
  readonly bytes: number;
  /** When waiting for a commit of another node ends. Milliseconds of the timer. */
  readonly patienceMs: number;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a batch waits until another node's commit of the same batch is settled. */
const pendingMs = 30_000;
const pendingEveryMs = 250;
/** How long the end of a commit is asked for while the store does not answer; far below `abandonedMs`. */
const settleMs = 600_000;
const settleEveryMs = 250;
/** How often a copy checks whether ClickHouse has merged enough. */
const behindEveryMs = 250;

/**
 * The event log over ClickHouse. It uses group commit: everything that arrives during a commit goes into the next one. A
 * commit is begun in the ledger, which gives the arrival numbers; then its rows are inserted; then it is completed in
 * the ledger, and only from then on do queries see the rows.
 */
export class ClickHouseEventLog implements EventLog {
  readonly #options: ClickHouseEventLogOptions;
  #waiting: Waiting[] = [];
  #heldBytes = 0;
  #heldBatches = 0;
  #pumping: Promise<void> | null = null;
  #isClosed = false;
  /** Whether the ledger may have an open commit of this node. */
  #mayBeOpen = false;
  /** Calls of `storeNumbered`. */
  #copied = 0;
  /** Identities of batches of this node that are not settled. */
  readonly #unsettled = new Map<string, Promise<unknown>>();

  constructor(options: ClickHouseEventLogOptions) {
    this.#options = options;
  }

  async append(batch: EventBatch): Promise<AppendOutcome> {
    const { sources } = this.#options;
    const source = sources.get(batch.source);
    if (source === undefined) throw unknownSource(batch.source, [...sources.keys()]);
    const { identity } = batch;
    if (identity === null || !this.#unsettled.has(identity.key)) this.#refuseWhenFull(identity !== null);
    const encoded = await this.#encode(source, batch);
    const bytes = encoded.reduce((sum, { rows }) => sum + rows.bytes.length, 0);
    if (identity !== null) {
      // No other turn may run between the last look and the batch's own entry.
      for (let first = this.#unsettled.get(identity.key); first !== undefined; ) {
        await first;
        first = this.#unsettled.get(identity.key);
      }
    }
    this.#refuseWhenFull(identity !== null);
    const patienceMs = this.#options.timer.nowMs() + pendingMs;
    const outcome = new Promise<AppendOutcome>((resolve, reject) => {
      this.#waiting.push({ batch, source, encoded, bytes, patienceMs, resolve, reject });
    });
    this.#heldBytes += bytes;
    this.#heldBatches += 1;
    const settled = outcome
      .catch(() => {
        // The caller gets the error; here only the end matters.
      })
      .then(() => {
        this.#heldBytes -= bytes;
        this.#heldBatches -= 1;
        if (identity !== null) this.#unsettled.delete(identity.key);
      });
    if (identity !== null) this.#unsettled.set(identity.key, settled);
    this.#pump();
    return await outcome;
  }

  async recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null> {
    const { ledger, timer } = this.#options;
    const patienceMs = timer.nowMs() + pendingMs;
    for (;;) {
      for (let first = this.#unsettled.get(identity.key); first !== undefined; ) {
        await first;
        first = this.#unsettled.get(identity.key);
      }
      const known = await this.#ask(async () => await ledger.recall(identity));
      if (known?.kind !== 'pending') return known;
      if (timer.nowMs() >= patienceMs) throw overloaded('Another node is still storing this batch.');
      await delay(pendingEveryMs);
    }
  }

  /**
   * Stores events under the numbers that another store gave them. The ledger must not give these numbers. Rejects like
   * `InsertRows.store`.
   */
  async storeNumbered(batches: readonly NumberedBatch[]): Promise<void> {
    const { sources, node, store, isBehind } = this.#options;
    while (isBehind()) await delay(behindEveryMs);
    const encoded: EncodedBatch[] = [];
    for (const batch of batches) {
      const source = sources.get(batch.source);
      if (source === undefined) throw unknownSource(batch.source, [...sources.keys()]);
      encoded.push({ source, encoded: await this.#encode(source, batch) });
    }
    const firsts = batches.map(({ first }) => first);
    this.#copied += 1;
    // Several calls may begin with the number 0, and their INSERTs need different tokens.
    await store(insertsOf(encoded, firsts, { ...this.#options, node: `${node}/${this.#copied}` }));
  }

  /**
   * Abandons a commit that this node no longer knows of, because the store's answer was lost. While it is open, no node shows
   * later events in pages and tails. Does nothing while commits run: the next one abandons it, and under load they never pause,
   * so whoever waited for them would never go on. Never rejects.
   */
  async abandonLost(): Promise<void> {
    if (!this.#mayBeOpen || this.#pumping !== null) return;
    await this.#run(async () => await this.#abandon());
  }

  /** Stops accepting batches and waits until the accepted ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#pumping !== null) await this.#pumping;
  }

  #refuseWhenFull(hasIdentity: boolean): void {
    const { settings, isBehind } = this.#options;
    if (this.#isClosed) {
      throw new ServiceError(
        'service.draining',
        'The service is shutting down. Send the batch to another node, or send it again later.',
      );
    }
    if (this.#heldBytes >= settings.appendBytesMax || this.#heldBatches >= settings.appendBatchesMax) {
      throw overloaded('Too many events are waiting to be written, so nothing in this batch was stored.');
    }
    // A batch that was stored before must be acknowledged even then, and only the ledger knows it.
    if (isBehind() && !hasIdentity) {
      throw overloaded('The event store is behind with merging, so nothing in this batch was stored.');
    }
  }

  async #encode(
    source: Source,
    { events, owner = '' }: Pick<EventBatch, 'events' | 'owner'>,
  ): Promise<readonly ShardRows[]> {
    const count = this.#options.shardCount();
    const shards = events.map(({ project }) => shardOf(project, count));
    const pause = new Pause(this.#options.turns.of(owner));
    const encoded: ShardRows[] = [];
    for (const shard of new Set(shards)) {
      encoded.push({ shard, rows: await encodeRows(source, events, (n) => shards[n] === shard, pause) });
    }
    return encoded;
  }

  #pump(): void {
    void this.#run(async () => await this.#commitAll());
  }

  /** Begins this work, unless other work of this kind goes on. Resolves when that has ended. */
  #run(work: () => Promise<void>): Promise<void> {
    this.#pumping ??= work().finally(() => {
      this.#pumping = null;
      // A batch may have come between the last look at the queue and now.
      if (this.#waiting.length > 0) this.#pump();
    });
    return this.#pumping;
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commit(takeGroup(this.#waiting, this.#options.settings));
  }

  /** Settles every batch of the group, or puts it back into the queue. Never rejects. */
  async #commit(group: readonly Waiting[]): Promise<void> {
    let begun: Begun;
    try {
      begun = await this.#begin(group);
    } catch (error) {
      for (const waiting of group) waiting.reject(error);
      return;
    }
    const fresh: Waiting[] = [];
    const firsts: number[] = [];
    for (const [n, waiting] of group.entries()) {
      const outcome = begun.batches[n];
      if (outcome?.kind === 'begun') {
        fresh.push(waiting);
        firsts.push(outcome.first);
      } else this.#settle(waiting, outcome);
    }
    if (begun.commit === null) return;
    try {
      if (this.#options.isBehind()) throw overloaded('The event store is behind with merging.');
      await this.#options.store(insertsOf(fresh, firsts, this.#options));
      this.#options.watch.expect(numbersOf(begun.commit, fresh, firsts), () => committedEvents(fresh));
      if (await this.#complete(begun.commit)) for (const waiting of fresh) waiting.resolve({ kind: 'stored' });
      // The node was taken for dead meanwhile. Nothing of it is shown, so it can be stored again.
      else this.#waiting.unshift(...fresh);
    } catch (error) {
      await this.#abandon();
      if (fresh.length > 1 && !(error instanceof ServiceError)) {
        // One batch may be the cause, so each gets its own commit.
        for (const waiting of fresh) await this.#commit([waiting]);
        return;
      }
      for (const waiting of fresh) waiting.reject(refusedBy(error));
    }
  }

  async #begin(group: readonly Waiting[]): Promise<Begun> {
    const { ledger, numbers, node, clock } = this.#options;
    const batches = group.map(({ batch }) => ({ identity: batch.identity, events: batch.events.length }));
    const begin = async (known: number) => {
      this.#mayBeOpen = true;
      const begun = await ledger.begin(node, batches, clock.nowMicros(), known);
      this.#mayBeOpen = begun.commit !== null;
      return begun;
    };
    return await this.#ask(async () => await numbers.take(begin));
  }

  #settle(waiting: Waiting, outcome: Exclude<BegunBatch, { readonly kind: 'begun' }> | undefined): void {
    if (outcome === undefined) {
      waiting.reject(new Error('the ledger has not answered for every batch'));
      return;
    }
    if (outcome.kind !== 'pending') {
      waiting.resolve(outcome);
      return;
    }
    if (this.#options.timer.nowMs() >= waiting.patienceMs || this.#isClosed) {
      waiting.reject(overloaded('Another node is still storing this batch.'));
      return;
    }
    this.#options.timer.after(pendingEveryMs, () => {
      this.#waiting.push(waiting);
      this.#pump();
    });
  }

  /** Returns false if the commit was abandoned. While the store does not answer, its outcome is unknown. */
  async #complete(commit: number): Promise<boolean> {
    const { ledger, commits, node, clock, timer } = this.#options;
    const untilMs = timer.nowMs() + settleMs;
    for (;;) {
      const beganMs = timer.nowMs();
      try {
        const state = await ledger.complete(commit, node, clock.nowMicros());
        this.#mayBeOpen = false;
        if (state === null) return false;
        commits.adopt(state, beganMs);
        // A read that began later, but found the commit open, was there first.
        if (!commits.shows(commit)) await commits.refresh();
        return true;
      } catch (error) {
        if (timer.nowMs() >= untilMs) throw error;
        await delay(settleEveryMs);
      }
    }
  }

  /** `abandonLost` and the next commit of this node try again, so a failure is only reported. */
  async #abandon(): Promise<void> {
    const { ledger, node, clock, observe } = this.#options;
    try {
      await ledger.abandon(node, clock.nowMicros());
      this.#mayBeOpen = false;
    } catch (cause) {
      observe({ kind: 'warning', message: 'a commit could not be abandoned yet', cause });
    }
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (cause) {
      throw overloaded('The store does not answer, so nothing in this batch was stored.', cause);
    }
  }
}

/** The numbers of a commit: at least one. */
function numbersOf(commit: number, fresh: readonly Waiting[], firsts: readonly number[]): ArrivalRange {
  const ends = fresh.map(({ batch }, n) => (firsts[n] ?? commit) + batch.events.length);
  return { first: commit, end: Math.max(commit + 1, ...ends) };
}

function overloaded(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('ingest.overloaded', `${reason} Send it again in a second.`, { retryAfterSeconds: 1, cause });
}

function refusedBy(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('engine.failed', 'The batch could not be written, and nothing in it was stored.', {
    cause: error,
  });
}
