import type { RetentionMark } from '../retention/retentionMark.ts';
import type { RemovedEvents } from './fileManifest.ts';

/** Records what an engine without a manifest removes. An adapter must make each call one durable transaction. */
export interface RemovalRecords {
  /** Counts the events of deletions. The first count of a deletion and source stays. */
  countDeleted(removed: readonly RemovedEvents[]): Promise<void>;
  /** Moves the marks of retention forward, never back. */
  advance(marks: readonly RetentionMark[]): Promise<void>;
}
