import { atOnce } from '../../../core/concurrency/turns.ts';
import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { CallExpr, CastExpr, Expr } from '../../../googlesql/resolve/tree.ts';
import { isConstantSeries } from './constantSeries.ts';
import type { Emission } from './emission.ts';
import { isKnownPositive, isWhole } from './numberFacts.ts';

/**
 * Writes an expression so that it is never computed for a row that an inner filter leaves out.
 *
 * The engine moves conditions, and computed columns that conditions use, down into the scan of a table. There it
 * computes them in any order, even for events of other projects. It does not move expressions that it knows can fail,
 * but it does not know all: errors inside lambdas are invisible to it, and functions such as LEFT, or a search with a
 * pattern from a column, fail without being marked. A failure on an event of another project would reveal its content.
 * LIST_EXTRACT is marked, and `list_extract([x], 1)` is x, so every expression that is not known to be harmless is
 * wrapped in it.
 */
export function guarded(expr: Expr, emission: Emission): string {
  return atOnce(guardedInSteps(expr, emission));
}

/** Like `guarded`, in steps. */
export function* guardedInSteps(expr: Expr, emission: Emission): Generator<undefined, string> {
  // An expression with a subquery is computed above a join of its own, where the engine moves nothing.
  const hasSubquery = holdsSubquery(expr);
  const neverFails = !hasSubquery && isHarmless(expr, emission);
  const sql = yield* neverFails ? emission.plainExprInSteps(expr) : emission.exprInSteps(expr);
  yield;
  if (hasSubquery || (neverFails && !/\blambda\b/.test(sql))) return sql;
  return `list_extract([${sql}], 1)`;
}

/**
 * Whether the expression never fails, or fails only in ways that the engine knows. Such an expression is also
 * deterministic.
 */
export function isHarmless(expr: Expr, emission: Emission): boolean {
  if (expr.kind === 'call' && isConstantSeries(expr, emission.slots)) return true;
  if (expr.kind === 'call' && !isHarmlessCall(expr, emission)) return false;
  if (expr.kind === 'cast' && !isHarmlessCast(expr)) return false;
  let areAll = true;
  mapExpr(expr, {
    relation: (relation) => relation,
    expr: (below) => {
      areAll &&= isHarmless(below, emission);
      return below;
    },
  });
  return areAll;
}

const harmlessFunctions: ReadonlySet<string> = new Set([
  '$and',
  '$or',
  '$not',
  '$is_null',
  '$is_true',
  '$is_false',
  '$is_distinct',
  '$eq',
  '$ne',
  '$lt',
  '$le',
  '$gt',
  '$ge',
  '$between',
  '$in',
  'if',
  'ifnull',
  'coalesce',
  'nullif',
  'lower',
  'upper',
  'length',
  'starts_with',
  'ends_with',
  'is_nan',
  'is_inf',
]);

function isHarmlessCall({ fn, args }: CallExpr, emission: Emission): boolean {
  if (harmlessFunctions.has(fn)) return true;
  const [first, second] = args;
  // An invalid pattern fails before any row is read.
  if (fn === '$like' || fn === '$ilike' || fn === 'regexp_contains')
    return args.length === 2 && second?.kind === 'literal';
  // For two INT64, if the second is the number of rows in a group.
  if (fn === '$div') return args.every(isWhole) && second !== undefined && isKnownPositive(second, emission);
  // Times of events are bounded; a computed time is guarded where it is computed.
  return fn === 'timestamp_trunc' && first?.kind === 'column' && args.length === 2;
}

function isHarmlessCast({ value, type }: CastExpr): boolean {
  if (value.type.kind === 'INT64') return type.kind === 'FLOAT64';
  return value.type.kind === 'TIMESTAMP' && type.kind === 'DATETIME';
}
