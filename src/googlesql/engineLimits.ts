/**
 * Limits within which an engine plans queries in predictable time. Each engine states its own (ports/storageEngine.ts). A
 * larger query is refused with `sql.too_complex` before it reaches the engine.
 */
export interface EngineLimits {
  /** Depth of nested subqueries used as values. */
  readonly subqueryDepthMax: number;
  /** Depth of nested aggregations, including those in WITH tables. */
  readonly aggregateDepthMax: number;
  /** Tables in one join, including those in joined WITH tables and subqueries. */
  readonly joinedTablesMax: number;
  /** Tables in one cross join; each multiplies the rows. */
  readonly crossJoinedTablesMax: number;
  /** `IN (SELECT …)` conditions in one query, including those in WITH tables and subqueries. */
  readonly inSubqueriesMax: number;
  /**
   * Depth of nested relations, including those in the WITH tables that are read. The height of a text is limited
   * (parseLimits.ts), but a chain of WITH tables multiplies it, and every later pass recurses.
   */
  readonly planHeightMax: number;
  /**
   * Work on nested ARRAYs: an expression or a column whose type nests ARRAYs `n` deep counts 2ⁿ, from four levels on; below,
   * the work is nothing.
   */
  readonly arrayNestingMax: number;
}

/**
 * Limits within which DuckDB plans in bounded time. Commands that compile without an engine use them too. Each further
 * subquery as a value and each further aggregation at least doubles its planning time, and its time to order the tables of
 * a join grows fast. It plans each `IN (SELECT …)` as a join, in a time that grows with at least the third power and cannot
 * be interrupted: 0.2 s for 25, 1.8 s for 50, 24 s for 100. Each level of ARRAYs in a value doubles its planning time: 0.2 s for
 * eight levels, 8.8 s for thirteen.
 */
export const defaultEngineLimits: EngineLimits = {
  subqueryDepthMax: 8,
  aggregateDepthMax: 16,
  joinedTablesMax: 40,
  crossJoinedTablesMax: 10,
  inSubqueriesMax: 40,
  planHeightMax: 600,
  arrayNestingMax: 4096,
};
