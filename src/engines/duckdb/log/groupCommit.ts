import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../core/clock.ts';
import type { Mutex } from '../../../core/concurrency/mutex.ts';
import { ServiceError } from '../../../core/errors.ts';
import { type Randomness, uuidV4 } from '../../../core/ids.ts';
import { committedEvents, takeGroup } from '../../../ports/commitGroup.ts';
import type { CommittedEvents, EventBatch } from '../../../ports/eventLog.ts';
import { memoryAttemptsMax } from '../files/fileChanges.ts';
import { diskFull, type FreeSpace } from '../files/freeSpace.ts';
import type { TableLayout } from '../files/tableLayout.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { EngineDied, isFatal, isNoSpace, isOutOfMemory } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import type { IdentityRow, IrregularRow } from '../process/protocol.ts';
import type { DuckDbSettings } from '../settings.ts';
import type { ActiveFile } from './activeFile.ts';
import type { ArrivalNumbers } from './arrivalNumbers.ts';
import type { IdentityMemory } from './identityMemory.ts';

/** The segments that the log writes to. */
export interface ActiveFiles {
  /** The active segment; a new one if the last one is full, old or lost. */
  current(): Promise<ActiveFile>;
  /** Whether the segment still receives events, even if it is due to be rotated. */
  isCurrent(file: ActiveFile): boolean;
  /** Whether too many segments wait to be sealed. */
  readonly isBehind: boolean;
  /** Whether they wait because the disk has no space to seal the next one, as of the last attempt. */
  readonly lacksRoom: boolean;
}

export interface GroupCommitOptions {
  readonly supervisor: Pick<EngineSupervisor, 'ready' | 'kill'>;
  readonly files: ActiveFiles;
  readonly identities: IdentityMemory;
  readonly arrivals: ArrivalNumbers;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly settings: DuckDbSettings;
  readonly space: FreeSpace;
  /** Shared with all work that must not overlap with a commit. */
  readonly lane: Mutex;
  /**
   * Called before each commit is sent. The returned function is called once it is known whether the commit is stored, before
   * its batches are acknowledged.
   */
  readonly begin: (commit: readonly CommittedEvents[]) => () => void;
  /** Called after each commit, before its batches are acknowledged. */
  readonly committed: (commit: readonly CommittedEvents[]) => void;
}

/** A batch that is ready to be stored. */
export interface EncodedBatch {
  readonly batch: EventBatch;
  readonly layout: TableLayout;
  /** The encoded events, in parts that are sent one after another. */
  readonly parts: readonly Buffer[];
  readonly identity: IdentityRow | null;
  /** The number of its first event if another store gave the numbers (eventCopies.ts); 0 if its events have none. */
  readonly first?: number;
}

/** A batch that waits for its commit. */
interface Waiting extends EncodedBatch {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Ends of the process after which a commit is given up. */
const deathsMax = 3;

/**
 * Group commit: everything that arrives during a commit goes into the next one. Every commit writes an id in its own
 * transaction, by which it is found if the process ended before it answered.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #unsettledBytes = 0;
  #unsettledBatches = 0;
  #isPumping = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Whether the batches that wait or are being written have reached their limits. */
  get isFull(): boolean {
    const { appendBytesMax, appendBatchesMax } = this.#options.settings;
    return this.#unsettledBytes >= appendBytesMax || this.#unsettledBatches >= appendBatchesMax;
  }

  /** Stores a batch with those that wait. If it rejects, with a ServiceError, nothing of the batch is stored. */
  async store(encoded: EncodedBatch): Promise<void> {
    const bytes = encoded.parts.reduce((sum, part) => sum + part.length, 0);
    this.#unsettledBytes += bytes;
    this.#unsettledBatches++;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ ...encoded, bytes, resolve, reject });
        this.#pump();
      });
    } finally {
      this.#unsettledBytes -= bytes;
      this.#unsettledBatches--;
    }
  }

  /** Resolves when all batches that wait are settled. */
  async drain(): Promise<void> {
    await this.#options.lane.run(async () => {
      while (this.#waiting.length > 0) await this.#commit(takeGroup(this.#waiting, this.#options.settings));
    });
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    void this.#commitAll();
  }

  /** Others that wait for the mutex get it between two commits, however many batches arrive. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.lane.run(async () => {
        if (this.#waiting.length > 0) await this.#commit(takeGroup(this.#waiting, this.#options.settings));
      });
    }
    // Synchronously after the last check of the queue, or a batch that arrives in between would wait forever.
    this.#isPumping = false;
  }

  /** Settles every batch of the group. Never rejects. */
  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#storeReported(group);
      this.#options.space.noteWrittenEvents();
      for (const waiting of group) waiting.resolve();
    } catch (thrown) {
      const error = isNoSpace(thrown) ? diskFull(thrown) : thrown;
      if (error !== thrown) await this.#options.space.noteRefusedEvents();
      if (group.length > 1 && !(error instanceof ServiceError)) {
        // One batch may be the cause, so each gets its own commit.
        for (const waiting of group) await this.#commit([waiting]);
        return;
      }
      const reason =
        error instanceof ServiceError
          ? error
          : new ServiceError('engine.failed', 'The batch could not be written, and nothing in it was stored.', {
              cause: error,
            });
      for (const waiting of group) waiting.reject(reason);
    }
  }

  async #storeReported(group: readonly Waiting[]): Promise<void> {
    const commit = committedEvents(group);
    const end = this.#options.begin(commit);
    try {
      await this.#storeGroup(group, commit);
    } finally {
      end();
    }
  }

  /**
   * Stores the group in one commit. If it rejects, nothing of the group is stored. While an ended process may have
   * stored it, this waits until that can be checked, and keeps to the same segment.
   */
  async #storeGroup(group: readonly Waiting[], commit: readonly CommittedEvents[]): Promise<void> {
    const { supervisor, files, identities, arrivals, clock, randomness, settings, committed } = this.#options;
    const commitId = uuidV4(randomness);
    const events = group.reduce((sum, { batch }) => sum + batch.events.length, 0);
    let sentTo: ActiveFile | null = null;
    // An engine can fail after a commit is durable, so its own record decides, whatever it answered.
    let mayBeStored = false;
    let lastSent = 0;
    let reason: unknown = null;
    let deaths = 0;
    let memoryAttempts = 0;
    for (;;) {
      if (!mayBeStored && reason !== null) throw reason;
      let engine: EngineConnection | null = null;
      let isAsking = false;
      try {
        const kept: ActiveFile | null = sentTo !== null && files.isCurrent(sentTo) ? sentTo : null;
        // Events in a lost segment are not served.
        if (kept === null) mayBeStored = false;
        const file: ActiveFile = kept ?? (await files.current());
        // Recorded before anything is sent, so that a query can rely on the absence of a fact.
        const irregular = group.flatMap(({ batch, first }) => file.expect(batch.source, batch.events, first !== 0));
        // Each attempt has its own numbers, because an earlier attempt may reappear with a lost segment.
        const firsts = mayBeStored ? [] : await this.#numbersOf(group, events);
        engine = await supervisor.ready();
        isAsking = mayBeStored;
        if (isAsking) {
          mayBeStored = (await engine.call('findCommit', { alias: file.alias, commitId })).gives.isStored;
          if (!mayBeStored) continue;
        } else {
          sentTo = file;
          mayBeStored = true;
          lastSent = Math.max(...firsts.map((first, n) => first + (group[n]?.batch.events.length ?? 0) - 1));
          await this.#send(engine, file, { commitId, irregular }, group, firsts);
        }
        arrivals.noteCommitted(lastSent);
        for (const { batch, bytes } of group) file.settle(batch.source, batch.events, bytes);
        file.settleIrregular(irregular);
        identities.remember(identitiesOf(group), clock.nowMicros(), ownersOf(group));
        committed(commit);
        return;
      } catch (error) {
        if (isOutOfMemory(error)) {
          // A query can hold all of the engine's memory for a moment; a batch waits for it instead of failing.
          if (++memoryAttempts >= memoryAttemptsMax) reason = heldByQueries(error);
          await delay(settings.memoryWaitMs);
        } else if (error instanceof EngineDied || (engine !== null && (isAsking || isFatal(error)))) {
          if (engine !== null && !(error instanceof EngineDied)) {
            // The engine now refuses the file, and the commit may or may not be in its log.
            supervisor.kill(engine, 'failed', error);
            await engine.ended;
          }
          if (++deaths >= deathsMax) {
            reason = new Error(`the engine process ended ${deaths} times during this commit`, { cause: error });
          }
        } else if (engine === null) {
          // It cannot be found out any more: the service is closing, or no segment can be created.
          throw error;
        } else {
          reason = error;
        }
      }
    }
  }

  /** The number of the first event of each batch. */
  async #numbersOf(group: readonly Waiting[], events: number): Promise<readonly number[]> {
    const { arrivals } = this.#options;
    // Nothing else is appended during a copy, so all batches of a group have numbers or none has.
    if (group.every(({ first }) => first !== undefined)) return group.map(({ first = 0 }) => first);
    let next = await arrivals.take(events);
    return group.map(({ batch }) => {
      const first = next;
      next += batch.events.length;
      return first;
    });
  }

  async #send(
    engine: EngineConnection,
    file: ActiveFile,
    commit: { readonly commitId: string; readonly irregular: readonly IrregularRow[] },
    group: readonly Waiting[],
    firsts: readonly number[],
  ): Promise<void> {
    await engine.call(
      'append',
      {
        alias: file.alias,
        path: file.attached.path,
        ...commit,
        batches: group.flatMap(({ layout, parts }, n) =>
          parts.map((part, at) => ({ layout, bytes: part.length, ...(at === 0 ? { first: firsts[n] ?? 0 } : {}) })),
        ),
        identities: identitiesOf(group),
      },
      group.flatMap(({ parts }) => parts),
    );
  }
}

function identitiesOf(group: readonly Waiting[]): readonly IdentityRow[] {
  return group.flatMap(({ identity }) => (identity === null ? [] : [identity]));
}

/** In the order of `identitiesOf`. */
function ownersOf(group: readonly Waiting[]): readonly string[] {
  return group.flatMap(({ batch, identity }) => (identity === null ? [] : [batch.owner ?? '']));
}

function heldByQueries(cause: unknown): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'Queries hold the memory that the batch needs, so nothing in it was stored. Send it again in a second.',
    { retryAfterSeconds: 1, cause },
  );
}
