import type { Figure } from './figure.ts';
import type { Load, Machine } from './machine.ts';

/** What a run of the suite leaves behind, as JSON. */
export interface SuiteResult {
  /** UTC, to the second. */
  readonly startedAt: string;
  readonly minutes: number;
  readonly commit: string;
  readonly machine: Machine;
  readonly load: { readonly before: Load; readonly after: Load };
  /** The folders, and what filling and merging them took when they were made. */
  readonly events: readonly { readonly events: number; readonly loadSeconds: number; readonly mergeSeconds: number }[];
  readonly figures: readonly Figure[];
  /** Parts that ended with an error, and with which. */
  readonly failures: readonly string[];
}
