import { limits } from '../../core/limits.ts';

/** Limits on one query text (contract, section 7). A text that exceeds one is refused with `sql.too_complex`. */
export interface ParseLimits {
  /** Size of the text in UTF-8. */
  readonly bytesMax: number;
  /** Syntax nodes, identifiers included. */
  readonly nodesMax: number;
  /** SELECTs and FROM queries: planning and emitting one that reads a stored table costs as much as fifty nodes. */
  readonly selectsMax: number;
  /** Depth of nested constructs: parentheses, calls, subqueries, prefix operators, CASE, types. */
  readonly depthMax: number;
  /** Nodes from the root to the deepest leaf. Also limits long chains of operators and joins, so that every later pass may recurse. */
  readonly heightMax: number;
}

export const defaultParseLimits: ParseLimits = {
  bytesMax: limits.callerQueryBytesMax,
  nodesMax: 12_000,
  selectsMax: 500,
  depthMax: 100,
  heightMax: 300,
};
