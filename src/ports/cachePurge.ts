/**
 * Drops cached results.
 *
 * Every node has a cache of its own. When a purge resolves, no node answers with a result that it cached before, nor
 * caches the result of a run that began before. A node that cannot be reached drops everything before it next answers
 * from its cache, so a purge never rejects. Purges are rare.
 */
export interface CachePurge {
  /** Drops the results of an endpoint. Returns how many this node dropped. */
  purge(endpointId: string): number | Promise<number>;
  /**
   * Drops every result, for example after events were deleted. `projects`: if set, only their events are concerned, so whatever
   * is expensive to compute again and has no event of these may be kept.
   */
  dropAll(projects?: readonly string[]): void | Promise<void>;
}
