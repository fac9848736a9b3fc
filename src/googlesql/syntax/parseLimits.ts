import { limits } from '../../core/limits.ts';

/** Bounds on one query text (contract, section 7). What exceeds one is refused with `sql.too_complex`. */
export interface ParseLimits {
  /** Of the text in UTF-8. */
  readonly bytesMax: number;
  /** Syntax nodes, identifiers included. */
  readonly nodesMax: number;
  /** SELECTs, and FROMs that stand for one: planning and writing one that reads a stored table costs as much as fifty nodes. */
  readonly selectsMax: number;
  /** Constructs inside one another: parentheses, calls, subqueries, prefix operators, CASE, types. */
  readonly depthMax: number;
  /** Nodes from the root to the deepest leaf; also bounds long chains of one operator and of joins, so that every later pass may recurse. */
  readonly heightMax: number;
}

export const defaultParseLimits: ParseLimits = {
  bytesMax: limits.callerQueryBytesMax,
  nodesMax: 12_000,
  selectsMax: 500,
  depthMax: 100,
  heightMax: 300,
};
