import type { Expr } from '../../../googlesql/resolve/tree.ts';
import { sameType } from '../../../googlesql/types.ts';
import { jsonKey } from './jsonRead.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';
import type { Place } from './place.ts';

/** A value by which rows are joined. */
export interface JoinKey {
  /** As `Transport` 'scalar' writes it if it is nested; NULL for a value that equals nothing. */
  readonly sql: string;
  readonly isNested: boolean;
  /** Whether the value is an object or an array, of which `sql` is wrong; null if it never is. */
  readonly isOther: string | null;
}

/** The keys of both sides of an equality. */
export function joinKeys(left: Expr, leftPlace: Place, right: Expr, rightPlace: Place): readonly [JoinKey, JoinKey] {
  if (!sameType(left.type, right.type)) notPushed('JOIN on values of different types');
  if (left.type.kind === 'JSON') return [nestedKey(left, leftPlace), nestedKey(right, rightPlace)];
  return [plainKey(left, leftPlace), plainKey(right, rightPlace)];
}

function plainKey(expr: Expr, place: Place): JoinKey {
  const type = engineType(expr.type);
  const sql = place.expr(expr);
  // A join compares bits: of NaN, which equals nothing, and of both zeros, which are equal.
  const value =
    type !== 'Float64' ? sql : place.isFinite(expr) ? `(${sql} + 0.)` : `if(isNaN(${sql}), NULL, ${sql} + 0.)`;
  return { sql: `CAST(${value}, 'Nullable(${type})')`, isNested: false, isOther: null };
}

function nestedKey(expr: Expr, place: Place): JoinKey {
  const member = place.member(expr);
  if (member !== null) return { ...jsonKey(member), isNested: true };
  const typed = expr.kind === 'pathRead' && expr.path.length === 0 ? expr.base : null;
  if (typed?.type.kind === 'STRING') return { sql: `concat('s', ${place.expr(typed)})`, isNested: true, isOther: null };
  if (typed?.type.kind === 'INT64')
    return { sql: `concat('v', toString(${place.expr(typed)}))`, isNested: true, isOther: null };
  return notPushed('JOIN on a nested value that is computed');
}

/**
 * A text that is the same for scalars that are equal, and for some others. Equality is not transitive: two numbers are equal
 * by value, as FLOAT64 unless both are whole, and a text equals a number that is written like it.
 */
export function scalarKey(scalar: string): string {
  const text = `substring(${scalar}, 2)`;
  return `ifNull(toString(toFloat64OrNull(${text}) + 0.), ${text})`;
}

/** Whether two scalars are equal, as `compareJson` of DuckDB's emitter says it. */
export function equalScalars(left: string, right: string): string {
  const texts = [left, right].map((scalar) => `substring(${scalar}, 2)`);
  const both = (of: (text: string) => string) => texts.map(of).join(' = ');
  const areNumbers = [left, right].map((scalar) => `match(${scalar}, '^v[-0-9]')`).join(' AND ');
  const areWhole = texts.map((text) => `match(${text}, '^-?[0-9]+$')`).join(' AND ');
  const numbers = `if(${areWhole}, ${both((text) => `toInt128OrNull(${text})`)}, ${both((text) => `toFloat64OrNull(${text})`)})`;
  return `if(${areNumbers}, ${numbers}, ${both((text) => text)})`;
}
