import { columnsMadeUp } from '../resolve/traverse.ts';
import type { Column, Expr, Relation } from '../resolve/tree.ts';
import { isLateBound } from './lateBoundTimes.ts';

/** A constant is copied to every place that reads it, so larger ones stay columns. In characters of text; other values count as one. */
const constantSizeMax = 1000;

/**
 * Tracks the columns that hold the same constant in every row, in a walk that visits inputs first. On the side where an
 * outer join adds unmatched rows, columns are constants below the join and in its ON, but not above it.
 */
export class ConstantColumns {
  readonly #values = new Map<Column, Expr>();

  of(column: Column): Expr | undefined {
    return this.#values.get(column);
  }

  /** Records the columns of a relation whose inputs have been visited. */
  note(relation: Relation): void {
    switch (relation.kind) {
      case 'project':
        for (const { column, expr } of relation.items) if (isConstant(expr)) this.#values.set(column, expr);
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries()) {
          const source = relation.table.columns[i];
          const value = source === undefined ? undefined : this.#values.get(source);
          if (value !== undefined) this.#values.set(column, value);
        }
        return;
      case 'join':
        for (const column of columnsMadeUp(relation)) this.#values.delete(column);
        return;
      default:
    }
  }
}

/** Whether it is a literal or parameter, or a small array or struct of them. Other expressions are computed once, in place. */
function isConstant(expr: Expr): boolean {
  return sizeOf(expr) <= constantSizeMax;
}

function sizeOf(expr: Expr): number {
  switch (expr.kind) {
    case 'literal': {
      if (isLateBound(expr)) return 1;
      const { value } = expr;
      return typeof value === 'string' || value instanceof Uint8Array ? value.length : 1;
    }
    case 'parameter':
      return 1;
    case 'array':
      return expr.elements.reduce((size, element) => size + sizeOf(element), 1);
    case 'struct':
      return expr.values.reduce((size, value) => size + sizeOf(value), 1);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Whether the relation always has exactly one row. */
export function isOneRow(relation: Relation): boolean {
  switch (relation.kind) {
    case 'oneRow':
      return true;
    case 'project':
    case 'sort':
    case 'window':
      return isOneRow(relation.input);
    case 'limit': {
      const { limit, offset } = relation;
      const isLeft = limit === null || (limit.kind === 'literal' && limit.value !== 0n && limit.value !== null);
      return isLeft && (offset === null || isZero(offset)) && isOneRow(relation.input);
    }
    case 'with':
      return isOneRow(relation.body);
    case 'withReference':
      return isOneRow(relation.table.relation);
    default:
      return false;
  }
}

const isZero = (expr: Expr): boolean => expr.kind === 'literal' && expr.value === 0n;
