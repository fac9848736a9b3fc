/**
 * Numbers for events in the order of their arrival (contract, section 2, "logs.all"): unique over all nodes, and in
 * order within a node. Numbers that are never used leave gaps.
 */
export interface ArrivalNumbers {
  /**
   * Takes `count` consecutive numbers (at least 1), greater than all that this node took before. Rejects with
   * `service.store_unavailable` if the other nodes cannot be asked.
   */
  take(count: number): Promise<TakenArrivals>;
  /**
   * A number that never decreases. No event with a lower number can appear any more on any node: those that will ever
   * exist are stored. Numbers that a node took and did not end hold it back, until the node is treated as gone.
   */
  watermark(): Promise<number>;
}

export interface TakenArrivals {
  readonly first: number;
  readonly count: number;
  /**
   * Whether the numbers may be stored. Ask right before events are sent to the storage, and allow it no more than
   * `storedWithinMs`: if the node lost contact with the others, the watermark may pass its numbers afterwards.
   */
  isCurrent(): boolean;
  /** Must be called when the events are visible to queries, or can never be. Further calls do nothing. */
  end(): void;
}

/** How long the storage may take for events whose numbers were current, in milliseconds. */
export const storedWithinMs = 10_000;
