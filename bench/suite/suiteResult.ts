import type { Figure } from './figure.ts';
import type { Load, Machine } from './machine.ts';

/** Result of a run of the suite, stored as JSON. */
export interface SuiteResult {
  /** UTC, to the second. */
  readonly startedAt: string;
  readonly minutes: number;
  readonly commit: string;
  readonly machine: Machine;
  readonly load: { readonly before: Load; readonly after: Load };
  /** The folders, and how long loading and compaction took when they were made. */
  readonly events: readonly { readonly events: number; readonly loadSeconds: number; readonly mergeSeconds: number }[];
  readonly figures: readonly Figure[];
  /** Parts that failed, with their errors. */
  readonly failures: readonly string[];
}
