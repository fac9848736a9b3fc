import { setTimeout as delay } from 'node:timers/promises';
import { Pause, type Turns } from '../../../core/concurrency/turns.ts';
import { ServiceError } from '../../../core/errors.ts';
import { nearestName } from '../../../core/nearestName.ts';
import type { NumberedBatch, StoredIdentity } from '../../../ports/eventCopies.ts';
import type { AppendOutcome, BatchIdentity, EventBatch, EventLog, RepeatedOutcome } from '../../../ports/eventLog.ts';
import { diskFull } from '../files/freeSpace.ts';
import type { TableLayout } from '../files/tableLayout.ts';
import { encodeInTurns } from '../process/write/columnarBatch.ts';
import { type EncodedBatch, GroupCommit, type GroupCommitOptions } from './groupCommit.ts';
import { identityRow } from './identityMemory.ts';
import { RepeatedBatches } from './repeatedBatches.ts';

export interface EventLogOptions extends GroupCommitOptions {
  readonly layouts: ReadonlyMap<string, TableLayout>;
  readonly turns: Turns;
}

/** How often a copy checks whether enough segments are sealed. */
const behindMs = 50;

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
    if (identity === null || !this.#repeated.isKnown(identity)) this.#refuseWhenFull(batch);
    const parts = await this.#encode(layout, batch);
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

  /** Stores events under the numbers that another store gave them, which must be higher than all stored numbers, or 0 for none. */
  async appendNumbered(batches: readonly NumberedBatch[]): Promise<void> {
    const { layouts, files, space } = this.#options;
    for (;;) {
      if (!space.isFresh) await space.look();
      space.refuseWhenLow();
      if (!files.isBehind) break;
      if (files.lacksRoom) throw diskFull();
      await delay(behindMs);
    }
    const encoded: EncodedBatch[] = [];
    for (const { source, first, events } of batches) {
      const layout = layouts.get(source);
      if (layout === undefined) throw unknownSource(source, [...layouts.keys()]);
      const parts = await this.#encode(layout, { events });
      encoded.push({ batch: { source, events, identity: null }, layout, parts, identity: null, first });
    }
    const outcomes = await Promise.allSettled(encoded.map(async (each) => await this.#commits.store(each)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** The identities that are remembered, in the order in which they were stored. */
  identities(): readonly StoredIdentity[] {
    const { identities, clock } = this.#options;
    return identities
      .rows(clock.nowMicros())
      .map(([key, digest, answer, storedMicros]) => ({ key, digest, answer, storedMicros }));
  }

  /** Remembers the identities of batches whose events another store has given. Known ones are not stored again. */
  async rememberStored(stored: readonly StoredIdentity[]): Promise<void> {
    const { identities, layouts } = this.#options;
    const [layout] = layouts.values();
    if (layout === undefined) return;
    const batch = { source: layout.table, events: [], identity: null };
    const fresh = stored.filter(({ key, digest }) => identities.find(key)?.digest !== digest);
    await Promise.all(
      fresh.map(async ({ key, digest, answer, storedMicros }) => {
        const identity = [key, digest, answer, storedMicros] as const;
        // Without events, it takes no number.
        await this.#commits.store({ batch, layout, parts: [], identity, first: 0 });
      }),
    );
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

  async #encode(
    layout: TableLayout,
    { events, owner = '' }: Pick<EventBatch, 'events' | 'owner'>,
  ): Promise<readonly Buffer[]> {
    return await encodeInTurns(layout, events, new Pause(this.#options.turns.of(owner)));
  }

  #refuseWhenFull({ identity, owner = '' }: Pick<EventBatch, 'identity' | 'owner'> = { identity: null }): void {
    const { files, space, identities, clock } = this.#options;
    if (this.#isClosed)
      throw new ServiceError(
        'service.draining',
        'The service is shutting down. Send the batch to another node, or send it again later.',
      );
    space.refuseWhenLow();
    if (identity !== null && !identities.hasRoom(owner, identity.answer, clock.nowMicros())) {
      throw tooManyBatches();
    }
    if (files.isBehind && files.lacksRoom) throw diskFull();
    if (!this.#commits.isFull && !files.isBehind) return;
    throw new ServiceError(
      'ingest.overloaded',
      'Too many events are waiting to be written, so nothing in this batch was stored. Send it again in a second.',
      { retryAfterSeconds: 1 },
    );
  }
}

const tooManyBatches = (): ServiceError =>
  new ServiceError(
    'ingest.overloaded',
    'This token sent so many batches in the last 15 minutes that retries of more could not be recognised, so nothing in this one was stored. Send it again in a minute, and more events in each batch.',
    { retryAfterSeconds: 60 },
  );

function unknownSource(source: string, known: readonly string[]): ServiceError {
  const nearest = nearestName(source, known);
  return new ServiceError('source.unknown', `There is no source "${source}". The sources are ${known.join(', ')}.`, {
    errors: [{ value: source, allowed: known, ...(nearest === undefined ? {} : { nearest }) }],
  });
}
