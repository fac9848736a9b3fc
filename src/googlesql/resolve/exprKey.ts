import type { Column, Expr } from './tree.ts';

const known = new WeakMap<Expr, string>();

/** A key that is equal for expressions that always have equal values. An expression with a subquery equals no other. */
export function exprKey(expr: Expr): string {
  const before = known.get(expr);
  if (before !== undefined) return before;
  const key = JSON.stringify(expr, written);
  known.set(expr, key);
  return key;
}

let unequal = 0;

function written(key: string, value: unknown): unknown {
  if (key === 'pos' || key === 'label') return undefined;
  if (typeof value === 'bigint') return `${value}n`;
  // JSON.stringify writes -0 as 0, and NaN and the infinities as null.
  if (typeof value === 'number' && (Object.is(value, -0) || !Number.isFinite(value)))
    return `#${Object.is(value, -0) ? '-0' : value}`;
  if (isColumn(value)) return `#${value.id}`;
  if (key === 'query') {
    unequal += 1;
    return unequal;
  }
  return value;
}

function isColumn(value: unknown): value is Column {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'name' in value &&
    'type' in value &&
    !('kind' in value)
  );
}
