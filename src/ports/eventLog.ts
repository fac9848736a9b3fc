/** A hot cell (sources/source.ts, HotColumn): `presence` → true, `int64` → bigint or integer number. */
export type HotValue = string | number | bigint | boolean | null;

/** A normalised event: exactly the row of its source. */
export interface StoredEvent {
  /** 1 to 128 characters. Not unique: the same id twice is two rows. */
  readonly id: string;
  /** Microseconds since 1970, UTC. An integer. */
  readonly timestampMicros: number;
  /** Non-empty; the value of the stream's matching field. */
  readonly project: string;
  readonly eventMessage: string;
  /** The metadata object as JSON text without insignificant white space; null if the event has none. */
  readonly metadata: string | null;
  /** One value per hot column of the source, in its order. */
  readonly hot: readonly HotValue[];
  /** `pathKey`s of the hot columns at which this event is irregular; usually empty. */
  readonly irregular: readonly string[];
}

/** Identifies a batch, so that a retry is recognised (streams.md, "a retry of the same batch"). */
export interface BatchIdentity {
  /** Token, source and Idempotency-Key, or token, source and digest of the bytes. */
  readonly key: string;
  /** Digest of the bytes; the same key with another digest is a conflict. */
  readonly digest: string;
  /** The acknowledgement to repeat on a retry, as JSON text. */
  readonly answer: string;
}

export interface EventBatch {
  readonly source: string;
  /** May be empty only if there is an identity. */
  readonly events: readonly StoredEvent[];
  /** Null if a retry of the batch cannot be recognised. */
  readonly identity: BatchIdentity | null;
  /**
   * The token that sent the batch. Its work takes the turns of this token, and a log may limit how many identities it remembers
   * for each. Batches without one share the empty one.
   */
  readonly owner?: string;
}

/** What a commit added to a source. */
export interface CommittedEvents {
  readonly source: string;
  /** Its projects, and about how many bytes the events of each take. */
  readonly projects: ReadonlyMap<string, number>;
}

export type AppendOutcome = { readonly kind: 'stored' } | RepeatedOutcome;

export type RepeatedOutcome =
  /** The same batch was stored before; `answer` is its acknowledgement. */
  | { readonly kind: 'duplicate'; readonly answer: string }
  /** The key is known with another digest; nothing was stored. */
  | { readonly kind: 'conflict' };

/**
 * Receives events. Each stored event gets an *arrival number*, which is unique in the log, greater than those of all
 * batches stored before, and rising in the order of `EventBatch.events`. The event keeps it, and it orders events that
 * have the same time (contract, section 2). An adapter must do the following, whatever crashes at any point (process,
 * engine, power):
 * - resolve `append` only when the whole batch and its identity are durable, in one commit;
 * - never show a query a part of a batch, or one batch before another one with lower numbers;
 * - never use a number again, even after its event is gone;
 * - show a resolved batch to every query that starts a second later or after;
 * - remember identities for at least 15 minutes and at least the last 1,000 batches, across restarts;
 * - reject with `ingest.overloaded`, before anything of the batch is stored, if more is waiting than the log can hold, or if
 *   it can remember no more identities.
 */
export interface EventLog {
  append(batch: EventBatch): Promise<AppendOutcome>;
  /** Returns what `append` would return for a batch with this known identity; null if it is unknown. Stores nothing. */
  recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null>;
}
