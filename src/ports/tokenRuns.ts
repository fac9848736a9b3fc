/**
 * Counts the queries that each token runs, for its limit of concurrent queries.
 *
 * Nodes share the counts. The queue looks before each query, so an adapter answers from memory. What another node
 * counted may be missing for a moment. Queries of a node that has gone are no longer counted.
 */
export interface TokenRuns {
  /** Queries of the token that are running now, on any node. */
  count(tokenId: string): number;
  /** Counts a query that begins on this node. The returned function counts its end, and must be called once. */
  begin(tokenId: string): () => void;
  /** Calls the listener after every end of a query, on any node, because a waiting one may begin then. */
  whenEnded(listener: () => void): void;
}
