/** Whether a store that several nodes share answers, and how old the knowledge of this node may be. */
export interface StoreContact {
  /** Whether the last attempt to read the store failed. */
  readonly isAway: boolean;
  /** Milliseconds since this node last knew that it had every change. */
  readonly ageMs: number;
  /** Whether that is longer than calls may go on (`store_stale_max`). */
  readonly isTooOld: boolean;
}
