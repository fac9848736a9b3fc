/** A hot cell (sources/source.ts, HotColumn): `presence` → true, `int64` → bigint or integer number. */
export type HotValue = string | number | bigint | boolean | null;

/** An event after normalisation: exactly what a row of its source holds. */
export interface StoredEvent {
  /** 1 to 128 characters. Not unique: the same id twice is two rows. */
  readonly id: string;
  /** Microseconds since 1970, UTC. An integer. */
  readonly timestampMicros: number;
  /** Non-empty; the value of the stream's matching field. */
  readonly project: string;
  readonly eventMessage: string;
  /** The metadata object as JSON text without insignificant white space, or null where the event has none. */
  readonly metadata: string | null;
  /** One value per hot column of the source, in its order. */
  readonly hot: readonly HotValue[];
  /** `pathKey`s of hot columns at which this event is irregular; mostly empty. */
  readonly irregular: readonly string[];
}

/** What a retry of the same batch is recognised by (streams.md, "a retry of the same batch"). */
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
  /** May be empty only together with an identity. */
  readonly events: readonly StoredEvent[];
  /** Null where the batch cannot be recognised again. */
  readonly identity: BatchIdentity | null;
}

export type AppendOutcome = { readonly kind: 'stored' } | RepeatedOutcome;

export type RepeatedOutcome =
  /** The same batch was stored before; `answer` is what was acknowledged then. */
  | { readonly kind: 'duplicate'; readonly answer: string }
  /** The key is known with another digest; nothing was stored. */
  | { readonly kind: 'conflict' };

/**
 * Receives events. Each one that it stores gets an *arrival number*: unique in the log, greater than those of all batches
 * that were stored before, and rising in the order of `EventBatch.events`. It is kept for as long as the event is, and
 * decides between events of one time (contract, section 2). An adapter must, whatever crashes at whatever point (process, engine, power):
 * - resolve `append` only when the whole batch and its identity are durable, in one commit;
 * - never show a part of a batch to a query, nor one batch before another one with lower numbers;
 * - never give a number a second time, also where the event that had it is gone;
 * - show a resolved batch to every query that starts a second later or after;
 * - remember identities for at least 15 minutes and at least the last 1,000 batches, across restarts;
 * - reject with `ingest.overloaded` before anything of the batch is taken, when more is waiting than it can hold.
 */
export interface EventLog {
  append(batch: EventBatch): Promise<AppendOutcome>;
  /** What `append` would say of a batch with this identity that is known; null where it is not. Stores nothing. */
  recall(identity: Pick<BatchIdentity, 'key' | 'digest'>): Promise<RepeatedOutcome | null>;
}
