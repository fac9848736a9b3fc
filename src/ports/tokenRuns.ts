/**
 * Counts the queries that each token runs, for its limit of concurrent queries.
 *
 * Nodes share the counts: all nodes together run no more queries of a token than its limit. The queue asks before each
 * query, so an adapter answers from memory. It may say no although the limit is not reached, if it must first ask the
 * other nodes; then it calls the listeners. Queries of a node that has gone are no longer counted. A node that cannot
 * reach the others keeps the part of the limit that it had.
 */
export interface TokenRuns {
  /** Whether a query of the token may begin on this node now. A token has one limit, at least 1. */
  mayBegin(tokenId: string, concurrencyMax: number): boolean;
  /** Counts a query that begins on this node. The returned function counts its end, and must be called once. */
  begin(tokenId: string): () => void;
  /** Calls the listener whenever a query that was refused may begin, for example after the end of another one. */
  whenFreed(listener: () => void): void;
}
