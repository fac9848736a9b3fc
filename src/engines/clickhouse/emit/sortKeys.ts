import type { SortKey } from '../../../googlesql/resolve/tree.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';
import type { Place } from './place.ts';
import { scalarOrder } from './scalarJson.ts';

/** Writes the keys of ORDER BY. NaN comes before every number; ClickHouse would put it beside NULL. */
export function emitSortKeys(keys: readonly SortKey[], place: Place): readonly string[] {
  const order = keys.flatMap((key) => {
    const { expr, descending, nulls } = key;
    const direction = descending ? 'DESC' : 'ASC';
    const stored = place.stored(expr);
    // It has the order of the index, and no NULL.
    if (stored !== null) return [`${stored} ${direction}`];
    if (expr.kind === 'literal') return [];
    const nullsAt = `NULLS ${nulls.toUpperCase()}`;
    return partsOf(expr, place).map((part) => `${part} ${direction} ${nullsAt}`);
  });
  // The keys of pages may repeat one.
  return [...new Set(order)];
}

function partsOf(expr: SortKey['expr'], place: Place): readonly string[] {
  const cell = expr.kind === 'column' ? place.cells.get(expr.column) : undefined;
  if (cell?.kind === 'scalar') return scalarOrder(cell.sql);
  if (expr.type.kind === 'JSON') notPushed('ORDER BY of nested values');
  engineType(expr.type);
  const sql = place.expr(expr);
  if (expr.type.kind !== 'FLOAT64' || place.isFinite(expr)) return [sql];
  return [`(NOT isNaN(${sql}))`, sql];
}
