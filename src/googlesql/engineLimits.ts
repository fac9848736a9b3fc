/**
 * The largest queries that an engine plans in a time that it can promise. Each engine states its own
 * (ports/storageEngine.ts); beyond them a query is refused with `sql.too_complex` before it reaches the engine.
 */
export interface EngineLimits {
  /** Subqueries inside one another as values. */
  readonly subqueryDepthMax: number;
  /** Aggregations on one another, those of WITH tables included. */
  readonly aggregateDepthMax: number;
  /** Tables that one join brings together, those of joined WITH tables and subqueries included. */
  readonly joinedTablesMax: number;
  /** Tables that stand beside one another without ON or USING: each multiplies the rows. */
  readonly crossJoinedTablesMax: number;
  /** Conditions `IN (SELECT …)` of one query, those of WITH tables and subqueries included. */
  readonly inSubqueriesMax: number;
  /**
   * Relations inside one another, those of the WITH tables that are read included. The height of a text is bounded
   * (parseLimits.ts), but tables that read one another in a chain multiply it, and every later pass recurses.
   */
  readonly planHeightMax: number;
}

/**
 * Limits within which DuckDB plans in bounded time. Commands that compile without an engine use them too. Each further
 * subquery as a value and each further aggregation at least doubles its planning time, and its time to order the tables of
 * a join grows fast. It plans each `IN (SELECT …)` as a join, in a time that grows with at least the third power and cannot
 * be interrupted: 0.2 s for 25, 1.8 s for 50, 24 s for 100.
 */
export const defaultEngineLimits: EngineLimits = {
  subqueryDepthMax: 8,
  aggregateDepthMax: 16,
  joinedTablesMax: 40,
  crossJoinedTablesMax: 10,
  inSubqueriesMax: 40,
  planHeightMax: 600,
};
