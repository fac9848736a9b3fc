import type { EngineLimits } from '../../googlesql/engineLimits.ts';

/**
 * What DuckDB plans in bounded time. With each further subquery as a value and each further aggregation its time to plan
 * doubles or worse, and its time to order the tables of a join grows fast. Each `IN (SELECT …)` is a join of its own to it,
 * whose time to plan them grows with the third power or more, and cannot be interrupted: 25 take 0.2 s, 50 take 1.8 s, 100 take
 * 24 s.
 */
export const duckdbLimits: EngineLimits = {
  subqueryDepthMax: 8,
  aggregateDepthMax: 16,
  joinedTablesMax: 40,
  crossJoinedTablesMax: 10,
  inSubqueriesMax: 40,
  planHeightMax: 600,
};
