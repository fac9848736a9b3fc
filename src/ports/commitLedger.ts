import type { StoredIdentity } from './eventCopies.ts';
import type { BatchIdentity, RepeatedOutcome } from './eventLog.ts';

/** Consecutive arrival numbers (eventLog.ts): from `first` on, without `end`. At least one. */
export interface ArrivalRange {
  readonly first: number;
  readonly end: number;
}

/** A batch that is to be stored. */
export interface LedgerBatch {
  readonly identity: BatchIdentity | null;
  readonly events: number;
}

export type BegunBatch =
  /** It belongs to the commit that was begun. Its events have the numbers from `first` on. */
  | { readonly kind: 'begun'; readonly first: number }
  | RepeatedOutcome
  /** Another commit, which is still open, has a batch with this key. Whether that is stored is not known yet. */
  | { readonly kind: 'pending' };

export interface Begun {
  /** Names the commit; null if no batch was new. */
  readonly commit: number | null;
  /** One for each batch, in order. */
  readonly batches: readonly BegunBatch[];
}

export interface LedgerState {
  /** No event has this number or a higher one yet. */
  readonly end: number;
  /**
   * Numbers of commits that are open or abandoned, ascending. Events with such numbers may be stored, in part or as a
   * whole, and must not be shown. Every other event below `end` belongs to a complete commit.
   */
  readonly hidden: readonly ArrivalRange[];
  /** Below this number, nothing new can appear. */
  readonly watermark: number;
}

/** By node: a number that is another one whenever the node said that it lives. */
export type NodeMarks = ReadonlyMap<string, number>;

/**
 * Decides which batches are stored, for an event store without transactions: a commit is *open* while its events are
 * written, and *complete* once they all are; its events are shown from then on. A commit that is given up is *abandoned*,
 * and its numbers are never used again. Nodes share the ledger.
 *
 * An adapter must make each change one durable transaction. A call that rejects may have been carried out. Numbers of
 * commits that are begun later are higher, on all nodes.
 */
export interface CommitLedger {
  /**
   * Begins a commit of the batches that are new. A node has one open commit at most: an earlier one is abandoned. The
   * keys of the batches differ. Nothing is begun if no batch is new.
   *
   * @throws LedgerWentBack if the numbers would begin below `known`
   */
  begin(node: string, batches: readonly LedgerBatch[], nowMicros: number, known?: number): Promise<Begun>;
  /**
   * Completes a commit that was begun, and remembers its identities. Returns a state that shows it, also if it was
   * complete before; null if it was abandoned meanwhile, because the node was taken for dead. Not to be asked
   * after the commit may have been forgotten.
   */
  complete(commit: number, node: string, nowMicros: number): Promise<LedgerState | null>;
  /** Abandons the node's open commit, if it has one. Its identities are forgotten. */
  abandon(node: string, nowMicros: number): Promise<void>;
  /** What `begin` would return for a batch with this identity; null if it would be begun. */
  recall(
    identity: Pick<BatchIdentity, 'key' | 'digest'>,
  ): Promise<Exclude<BegunBatch, { readonly kind: 'begun' }> | null>;
  /** Yields the identities of complete commits in pages, the oldest first. */
  identities(): AsyncIterable<readonly StoredIdentity[]>;
  /** Remembers identities of batches that another store has copied. A known one with the same key is replaced. */
  remember(identities: readonly StoredIdentity[]): Promise<void>;
  /**
   * Takes a number that no event gets. Events of commits that are begun later have higher ones.
   *
   * @throws LedgerWentBack if the number would be below `known`
   */
  takeNumber(known?: number): Promise<number>;
  /** Makes sure that `number` and lower ones are not given to further events. */
  skip(number: number): Promise<void>;
  state(): Promise<LedgerState>;
  /**
   * Says that the node lives, and forgets identities that need not be remembered. Abandons the open commits of `silent`
   * nodes, and forgets these nodes, if their marks are still the same. Returns the marks of the other nodes.
   */
  hear(node: string, nowMicros: number, silent?: NodeMarks): Promise<NodeMarks>;
  /** Abandoned commits that were abandoned before that time, oldest first. */
  abandonedBefore(micros: number): Promise<readonly ArrivalRange[]>;
  /** Forgets abandoned commits, because none of their events is stored or can appear any more. */
  forget(ranges: readonly ArrivalRange[]): Promise<void>;
  /** Takes or keeps a lease on work that one node does at a time. Returns whether the node has it, until `untilMicros`. */
  lease(work: string, node: string, nowMicros: number, untilMicros: number): Promise<boolean>;
  /** Gives a lease back, if the node has it. */
  release(work: string, node: string): Promise<void>;
}

/** The ledger would give numbers again that were given before, because an older copy of the store was restored. */
export class LedgerWentBack extends Error {}

/** How long identities of stored batches are remembered (eventLog.ts), and how many of the last ones in any case. */
export const identityAgeMs = 15 * 60_000;
export const identityCountMin = 1_000;
