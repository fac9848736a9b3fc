/**
 * Decides which node does a piece of background work that one node can do for all, such as refreshing a cached result.
 */
export interface WorkClaims {
  /**
   * Whether this node does the work with this key now. It has the claim for `seconds`, and keeps it by claiming again;
   * no other node gets it before it ends, even if this node has gone. Rejects if the other nodes cannot be asked.
   */
  claim(key: string, seconds: number): boolean | Promise<boolean>;
}
