import type { EngineLimits } from '../../googlesql/engineLimits.ts';

/**
 * Limits within which DuckDB plans in bounded time. Each further subquery as a value and each further aggregation at
 * least doubles its planning time, and its time to order the tables of a join grows fast. It plans each `IN (SELECT …)`
 * as a join, in a time that grows with at least the third power and cannot be interrupted: 0.2 s for 25, 1.8 s for 50,
 * 24 s for 100.
 */
export const duckdbLimits: EngineLimits = {
  subqueryDepthMax: 8,
  aggregateDepthMax: 16,
  joinedTablesMax: 40,
  crossJoinedTablesMax: 10,
  inSubqueriesMax: 40,
  planHeightMax: 600,
};
