/**
 * `waiting` for a slot; `running` in the engine; `stopping`: its callers are answered, but the engine has not finished.
 */
export type QueryStage = 'waiting' | 'running' | 'stopping';

/** A running query as listed: never its text or parameter values. */
export interface RunningQuery {
  readonly id: string;
  readonly endpoint: { readonly id: string; readonly name: string };
  /** Public ID of the token that it runs for, or `warmingTokenId`. */
  readonly tokenId: string;
  /** IDs of the requests that get the rows, if they are several: those of tails that are read together. */
  readonly requestIds?: readonly string[];
  readonly stage: QueryStage;
  readonly startedMicros: number;
  /** Time since then. */
  readonly elapsedMs: number;
}

export interface RunningQueryList {
  /** In order of start. */
  readonly queries: readonly RunningQuery[];
  /** Ids of nodes that did not answer, whose queries are missing. */
  readonly silentNodes: readonly string[];
}

/**
 * Lists and kills running queries.
 *
 * Nodes share them: a list has the queries of every node that answers, and a kill reaches the node that runs the query.
 * Both are rare, so an adapter may ask the other nodes each time.
 */
export interface QueryControl {
  /** With a token ID, only the queries of that token. */
  list(ofToken: string | null): RunningQueryList | Promise<RunningQueryList>;
  /**
   * Ends a query; its callers are answered with `query.killed` at once.
   *
   * @throws ServiceError `query.unknown` if no query has this ID, or if it belongs to another token than the one given. The
   * message names the nodes that did not answer.
   */
  kill(id: string, ofToken: string | null, killedBy: string): void | Promise<void>;
}
