import type { Column, Expr } from './tree.ts';

/** Equal keys mean equal values. An expression that holds a subquery is its own key, and so equals no other. */
export type ExprKey = string | Expr;

const known = new WeakMap<Expr, ExprKey>();

/** The key of an expression, by which maps find one that always has the same value. */
export function exprKey(expr: Expr): ExprKey {
  const before = known.get(expr);
  if (before !== undefined) return before;
  let holdsSubquery = false;
  const text = JSON.stringify(expr, (member, value: unknown) => {
    if (member !== 'query') return written(member, value);
    holdsSubquery = true;
    return undefined;
  });
  const key = holdsSubquery ? expr : text;
  known.set(expr, key);
  return key;
}

function written(member: string, value: unknown): unknown {
  if (member === 'pos' || member === 'label') return undefined;
  if (typeof value === 'bigint') return `${value}n`;
  // JSON.stringify writes -0 as 0, and NaN and the infinities as null.
  if (typeof value === 'number' && (Object.is(value, -0) || !Number.isFinite(value)))
    return `#${Object.is(value, -0) ? '-0' : value}`;
  if (isColumn(value)) return `#${value.id}`;
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
