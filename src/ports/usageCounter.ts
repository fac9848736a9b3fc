import type { Observation } from '../core/observation.ts';

/**
 * Counts calls of endpoints, and stores the counts as events of the source of calls (decision 40).
 *
 * Nodes share that source, so their counts add up. Every call waits for `record`, so an adapter counts in memory and
 * stores the counts in the background.
 */
export interface UsageCounter {
  /** Counts the observation if it is the end of a call. Never throws. */
  record(observation: Observation): void;
  /**
   * Stores what every node that answers has counted, so that a query that begins then reads it. Never rejects: counts that
   * cannot be stored are stored by the next attempt, and are dropped if that fails too.
   */
  flush(): Promise<void>;
}
