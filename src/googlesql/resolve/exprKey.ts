import { hash } from 'node:crypto';
import type { Column, Expr } from './tree.ts';

/** Equal keys mean equal values. An expression that holds a subquery is its own key, and so equals no other. */
export type ExprKey = string | Expr;

const known = new WeakMap<Expr, ExprKey>();

/** Longer texts become their hash, so that the keys of nested expressions do not repeat one another. */
const textCharsMax = 100;

/** The key of an expression, by which maps find one that always has the same value. It is made from the keys of its parts. */
export function exprKey(expr: Expr): ExprKey {
  const before = known.get(expr);
  if (before !== undefined) return before;
  let holdsSubquery = false;
  const text = JSON.stringify(expr, (member, value: unknown) => {
    if (member === 'query') {
      holdsSubquery = true;
      return undefined;
    }
    if (!isPart(value, expr)) return written(member, value);
    const part = exprKey(value);
    if (typeof part === 'string') return part;
    holdsSubquery = true;
    return undefined;
  });
  const short = text.length > textCharsMax ? hash('sha256', text, 'base64url') : text;
  const key = holdsSubquery ? expr : short;
  known.set(expr, key);
  return key;
}

/** Whether the value is an expression in `whole` that has parts of its own. */
function isPart(value: unknown, whole: Expr): value is Expr {
  if (typeof value !== 'object' || value === null || value === whole) return false;
  return 'kind' in value && 'type' in value && value.kind !== 'column' && value.kind !== 'literal';
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
