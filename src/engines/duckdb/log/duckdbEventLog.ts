import { ServiceError } from '../../../core/errors.ts';
import { nearestName } from '../../../core/nearestName.ts';
import type { AppendOutcome, BatchIdentity, EventBatch, EventLog, RepeatedOutcome } from '../../../ports/eventLog.ts';
import type { TableLayout } from '../files/tableLayout.ts';
import { encodeInTurns } from '../process/write/columnarBatch.ts';
import { type EncodedBatch, GroupCommit, type GroupCommitOptions } from './groupCommit.ts';
import { identityRow } from './identityMemory.ts';
import { RepeatedBatches } from './repeatedBatches.ts';

export interface EventLogOptions extends GroupCommitOptions {
  readonly layouts: ReadonlyMap<string, TableLayout>;
}

/** The event log of the engine process. It recognises repeated batches, and stores the others by group commit. */
export class DuckDbEventLog implements EventLog {
  readonly #options: EventLogOptions;
  readonly #commits: GroupCommit;
  readonly #repeated: RepeatedBatches;
  #isClosed = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#commits = new GroupCommit(options);
    this.#repeated = new RepeatedBatches(options.identities);
  }

  async append(batch: EventBatch): Promise<AppendOutcome> {
    const { layouts, clock, space } = this.#options;
    const layout = layouts.get(batch.source);
    if (layout === undefined) throw unknownSource(batch.source, [...layouts.keys()]);
    if (!space.isFresh) await space.look();
    const identity = batch.identity === null ? null : identityRow(batch.identity, clock.nowMicros());
    // A repeated batch is answered even if the queue is full; other batches are then rejected before they are encoded.
    if (identity === null || !this.#repeated.isKnown(identity)) this.#refuseWhenFull();
    const parts = await encodeInTurns(layout, batch.events);
    if (identity === null) return await this.#store({ batch, layout, parts, identity });
    const repeated = await this.#repeated.claim(identity);
    if (repeated !== null) return repeated;
    try {
      return await this.#store({ batch, layout, parts, identity });
    } finally {
      this.#repeated.settle(identity);
    }
  }

  async recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null> {
    return await this.#repeated.recall(identity);
  }

  /** Stops accepting batches and waits until the accepted ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#commits.drain();
  }

  async #store(encoded: EncodedBatch): Promise<AppendOutcome> {
    this.#refuseWhenFull();
    await this.#commits.store(encoded);
    return { kind: 'stored' };
  }

  #refuseWhenFull(): void {
    const { files, space } = this.#options;
    if (this.#isClosed)
      throw new ServiceError(
        'service.draining',
        'The service is shutting down. Send the batch to another node, or send it again later.',
      );
    space.refuseWhenLow();
    if (!this.#commits.isFull && !files.isBehind) return;
    throw new ServiceError(
      'ingest.overloaded',
      'Too many events are waiting to be written, so nothing in this batch was stored. Send it again in a second.',
      { retryAfterSeconds: 1 },
    );
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    void this.#commitAll();
  }

  /** Others that hold the mutex get a turn between two commits, however many batches arrive. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.lane.run(async () => {
        if (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
      });
    }
    // In the same turn as the last check of the queue, or a batch that arrives in between would wait forever.
    this.#isPumping = false;
  }

  #takeGroup(): readonly Waiting[] {
    const { commitEventsMax, commitBytesMax } = this.#options.settings;
    let events = 0;
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      events += waiting.batch.events.length;
      bytes += waiting.bytes;
      if (count > 0 && (events > commitEventsMax || bytes > commitBytesMax)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Settles every batch of the group. Never rejects. */
  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#store(group);
      for (const waiting of group) waiting.resolve({ kind: 'stored' });
    } catch (thrown) {
      const error = isNoSpace(thrown) ? diskFull(thrown) : thrown;
      if (error !== thrown) await this.#options.space.noteRefusedWrite();
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

  /**
   * Stores the group in one commit. If it rejects, nothing of the group is stored. While an ended process may have
   * stored it, this waits until that can be checked, and keeps to the same segment.
   */
  async #store(group: readonly Waiting[]): Promise<void> {
    const { supervisor, files, identities, arrivals, clock, randomness, settings } = this.#options;
    const commitId = uuidV4(randomness);
    const events = group.reduce((sum, { batch }) => sum + batch.events.length, 0);
    let sentTo: ActiveFile | null = null;
    // An engine can fail after a commit is durable, so its own record decides, whatever it answered.
    let mayBeStored = false;
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
        const irregular = group.flatMap(({ batch }) => file.expect(batch.source, batch.events));
        // Each attempt has its own numbers, because an earlier attempt may reappear with a lost segment.
        const firstArrival = mayBeStored ? 0 : await arrivals.take(events);
        engine = await supervisor.ready();
        isAsking = mayBeStored;
        if (isAsking) {
          mayBeStored = (await engine.call('findCommit', { alias: file.alias, commitId })).gives.isStored;
          if (!mayBeStored) continue;
        } else {
          sentTo = file;
          mayBeStored = true;
          await this.#send(engine, file, { commitId, firstArrival, irregular }, group);
        }
        for (const { batch, bytes } of group) file.settle(batch.source, batch.events, bytes);
        file.settleIrregular(irregular);
        identities.remember(identitiesOf(group), clock.nowMicros());
        return;
      } catch (error) {
        if (isOutOfMemory(error)) {
          // A query can hold all of the engine's memory for a moment; a batch waits for it instead of failing.
          if (++memoryAttempts >= memoryAttemptsMax) reason = heldByQueries(error);
          await delay(settings.memoryWaitMs);
        } else if (error instanceof EngineDied || (engine !== null && (isAsking || isFatal(error)))) {
          if (engine !== null && !(error instanceof EngineDied)) {
            // The engine now refuses the file, and the commit may or may not be in its log.
            supervisor.kill(engine, 'failed');
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

  async #send(
    engine: EngineConnection,
    file: ActiveFile,
    commit: { readonly commitId: string; readonly firstArrival: number; readonly irregular: readonly IrregularRow[] },
    group: readonly Waiting[],
  ): Promise<void> {
    await engine.call(
      'append',
      {
        alias: file.alias,
        path: file.attached.path,
        ...commit,
        batches: group.flatMap(({ layout, parts }) => parts.map((part) => ({ layout, bytes: part.length }))),
        identities: identitiesOf(group),
      },
      group.flatMap(({ parts }) => parts),
    );
  }
}

function identitiesOf(group: readonly Waiting[]): readonly IdentityRow[] {
  return group.flatMap(({ identity }) => (identity === null ? [] : [identity]));
}

function heldByQueries(cause: unknown): ServiceError {
  return new ServiceError(
    'ingest.overloaded',
    'Queries hold the memory that the batch needs, so nothing in it was stored. Send it again in a second.',
    { retryAfterSeconds: 1, cause },
  );
}

function unknownSource(source: string, known: readonly string[]): ServiceError {
  const nearest = nearestName(source, known);
  return new ServiceError('source.unknown', `There is no source "${source}". The sources are ${known.join(', ')}.`, {
    errors: [{ value: source, allowed: known, ...(nearest === undefined ? {} : { nearest }) }],
  });
}
