import type { Column, SortKey } from '../../../googlesql/resolve/tree.ts';
import type { GroupCheck } from './aggregates.ts';
import type { Cell, Cells } from './cells.ts';
import type { ScanContext } from './scanContext.ts';

/** A condition in WHERE. */
export interface Condition {
  readonly sql: string;
  /** Whether it may be wrong for an irregular event. */
  readonly readsMembers: boolean;
}

/**
 * A SELECT from one scan, from two that are joined, or from the rows of several that come one after the other, under
 * construction. Each step returns another block, or throws `NotPushed`.
 */
export interface Block {
  readonly source: ScanContext | Join | Union;
  readonly cells: Cells;
  readonly where: readonly Condition[];
  /** Conditions on rows whose UNNEST is not of one object, which ClickHouse does not unnest: no filter leaves them out. */
  readonly unnested: readonly string[];
  /** The keys of GROUP BY; null for the rows of the scan. */
  readonly group: readonly string[] | null;
  readonly checks: readonly GroupCheck[];
  readonly having: readonly string[];
  /** Whether it has window functions, after which no condition leaves out groups. */
  readonly isWindowed: boolean;
  /** The order that the query asks for. ClickHouse sorts only for a LIMIT. */
  readonly sort: readonly SortKey[];
  readonly order: readonly string[];
  /** Whether an irregular event may have another place in the order. */
  readonly ordersByMembers: boolean;
  readonly limit: { readonly count: bigint | null; readonly offset: bigint } | null;
}

/** A SELECT over one scan whose rows are joined. Outputs are added while what is above the join is written. */
export interface JoinSide {
  readonly block: Block;
  /** The alias of the subquery, with which the names of its outputs begin. No column of a table has such a name. */
  readonly alias: 'in_l' | 'in_r';
  /** SQL over the columns of the scan's table, and the name of its output. */
  readonly outputs: Map<string, string>;
}

/** Two scans whose rows are joined if keys are equal. */
export interface Join {
  readonly left: JoinSide;
  readonly right: JoinSide;
  /** SQL over outputs of each side, NULL for a value that equals nothing. At least one. */
  readonly keys: readonly { readonly left: string; readonly right: string }[];
  /** Outputs that say whether the key of a row is an object or an array, which ClickHouse does not compare. */
  readonly others: readonly string[];
}

/** The rows of several SELECTs, each over one scan, without an order. */
export interface Union {
  readonly arms: readonly UnionArm[];
  /** The meaning of its columns above it, by position. */
  readonly cells: readonly Cell[];
}

export interface UnionArm {
  readonly block: Block;
  /** In the order of the columns of the union. */
  readonly columns: readonly Column[];
}

/** All rows of a source, as they are. */
export function wholeBlock(source: Block['source'], cells: Cells): Block {
  return {
    source,
    cells,
    where: [],
    unnested: [],
    group: null,
    checks: [],
    having: [],
    isWindowed: false,
    sort: [],
    order: [],
    ordersByMembers: false,
    limit: null,
  };
}
