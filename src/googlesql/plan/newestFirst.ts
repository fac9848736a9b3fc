import { holdsSubquery } from '../resolve/holdsSubquery.ts';
import { mapRelation } from '../resolve/traverse.ts';
import type { Column, Expr, Relation, SetOperationRelation } from '../resolve/tree.ts';

/** A query whose rows are the newest events of its scans, and which has no other scan. */
export interface NewestFirst {
  /** The timestamp of the scans, as a column of the sort's input. */
  readonly timestamp: Column;
  /** The relation below the sort. */
  readonly input: Relation;
  /** The most rows that can be needed. */
  readonly count: number;
  /** Its LIMIT, or null. */
  readonly limit: number | null;
  /** Number of its sort keys; the first is the timestamp. */
  readonly keys: number;
}

/** Recognises ORDER BY timestamp DESC over filters and unnests of one scan, or of several under UNION ALL. */
export function newestFirst(relation: Relation, rowsMax: number): NewestFirst | null {
  let count = rowsMax + 1;
  let limit: number | null = null;
  let sorted = relation;
  if (sorted.kind === 'limit') {
    limit = literalCount(sorted.limit);
    const offset = sorted.offset === null ? 0 : literalCount(sorted.offset);
    if (limit === null || offset === null) return null;
    count = limit + offset;
    sorted = sorted.input;
  }
  if (sorted.kind !== 'sort') return null;
  const first = sorted.keys[0];
  if (first?.expr.kind !== 'column' || !first.descending || count < 1) return null;
  if (sorted.keys.some(({ expr }) => holdsSubquery(expr))) return null;
  if (!isTimestampOfScans(sorted.input, first.expr.column)) return null;
  return { timestamp: first.expr.column, input: sorted.input, count, limit, keys: sorted.keys.length };
}

function literalCount(expr: Expr | null): number | null {
  if (expr?.kind !== 'literal' || typeof expr.value !== 'bigint' || expr.value > 1_000_000n) return null;
  return Number(expr.value);
}

/** Whether the column is the timestamp of scans below only filters, unnests, projections and UNION ALL. */
function isTimestampOfScans(relation: Relation, column: Column): boolean {
  switch (relation.kind) {
    case 'scan':
      return relation.columns.timestamp === column;
    case 'filter':
    case 'unnestRecord':
    case 'unnestArray':
      return !readsOtherRows(relation) && isTimestampOfScans(relation.input, column);
    case 'project': {
      const expr = relation.items.find((item) => item.column === column)?.expr;
      return expr?.kind === 'column' && !readsOtherRows(relation) && isTimestampOfScans(relation.input, expr.column);
    }
    case 'setOperation': {
      const at = relation.columns.indexOf(column);
      const isUnionAll = relation.op === 'union' && relation.all;
      return isUnionAll && relation.inputs.every((input) => isTimestampAt(input, at));
    }
    default:
      return false;
  }
}

function isTimestampAt({ relation, columns }: SetOperationRelation['inputs'][number], at: number): boolean {
  const column = columns[at];
  return column !== undefined && isTimestampOfScans(relation, column);
}

/** Whether the relation's own expressions read other rows, which a bound would hide. */
function readsOtherRows(relation: Relation): boolean {
  let found = false;
  mapRelation(relation, {
    relation: (below) => below,
    expr: (expr) => {
      found ||= holdsSubquery(expr);
      return expr;
    },
  });
  return found;
}
