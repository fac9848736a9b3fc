/** How events are kept in ClickHouse. Times in milliseconds, sizes in bytes. */
export interface ClickHouseSettings {
  /** Replicas that must have an insert before it is acknowledged: a number, or `auto` for the majority. */
  readonly quorum: number | 'auto';
  /** Storage policy of the tables; null for the server's default. */
  readonly storagePolicy: string | null;
  /** The volume that events of that age are moved to; null to leave them where they are. */
  readonly cold: { readonly days: number; readonly volume: string } | null;
  /** Batches and bytes that may wait for their commit; more are rejected with `ingest.overloaded`. */
  readonly appendBatchesMax: number;
  readonly appendBytesMax: number;
  /** Maximum events and bytes of one commit (one batch always fits). */
  readonly commitEventsMax: number;
  readonly commitBytesMax: number;
  /** Maximum rows and bytes of one INSERT (one row always fits). It is one block for ClickHouse. */
  readonly insertRowsMax: number;
  readonly insertBytesMax: number;
  /** INSERTs of one node that run at the same time. */
  readonly insertsMax: number;
  /** Time of one attempt of an INSERT. */
  readonly insertMs: number;
  /** How long INSERTs of a commit are repeated until it is given up. Also the time to ask for the highest stored number. */
  readonly commitMs: number;
  /** Parts of one partition with which events are refused. ClickHouse slows down inserts at 1,000. */
  readonly partsMax: number;
  /** Age at which the node's knowledge of complete commits is read again. */
  readonly freshMs: number;
  /** Age up to which it is used while the store does not answer. */
  readonly staleMs: number;
  /** Time of statements that change tables. */
  readonly changeMs: number;
  /** How long a change of retention rules waits for removals. */
  readonly rulesWaitMs: number;
  /** After this time, nothing of an abandoned commit can arrive at ClickHouse any more. */
  readonly abandonedMs: number;
}

const mebibyte = 2 ** 20;

export const defaultClickHouseSettings: ClickHouseSettings = {
  quorum: 'auto',
  storagePolicy: null,
  cold: null,
  appendBatchesMax: 2_000,
  appendBytesMax: 64 * mebibyte,
  commitEventsMax: 50_000,
  commitBytesMax: 32 * mebibyte,
  insertRowsMax: 10_000,
  insertBytesMax: 16 * mebibyte,
  insertsMax: 4,
  insertMs: 15_000,
  commitMs: 20_000,
  partsMax: 500,
  freshMs: 200,
  staleMs: 60_000,
  changeMs: 120_000,
  rulesWaitMs: 5_000,
  abandonedMs: 3_600_000,
};
