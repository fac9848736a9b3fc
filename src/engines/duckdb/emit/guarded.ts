import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { CallExpr, CastExpr, Expr } from '../../../googlesql/resolve/tree.ts';
import { isConstantSeries } from './constantSeries.ts';
import type { Emission } from './emission.ts';
import { isKnownPositive, isWhole } from './numberFacts.ts';

/**
 * An expression as SQL that is never computed for a row which a filter further inside leaves out.
 *
 * The engine moves conditions, and computed columns that conditions are over, down into the scan of
 * a table, and computes them there in any order, also for events of other tenants. It leaves alone
 * what it knows may fail. But it does not know it of everything that may: errors inside lambdas are
 * hidden from it, and functions such as LEFT or a search by a pattern from a column fail without being
 * marked so. A failure on another tenant's event would tell of its content. LIST_EXTRACT is marked,
 * and `list_extract([x], 1)` is x, so that whatever is not known to be harmless stands in one.
 */
export function guarded(expr: Expr, emission: Emission): string {
  const sql = emission.expr(expr);
  // What holds a subquery is computed above a join of its own, where nothing of this is moved.
  if (holdsSubquery(expr) || (isHarmless(expr, emission) && !/\blambda\b/.test(sql))) return sql;
  return `list_extract([${sql}], 1)`;
}

/** Whether the expression fails on no value at all, or in a form that the engine knows. It gives the same each time. */
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
  // A pattern that is wrong fails before any row is read.
  if (fn === '$like' || fn === '$ilike' || fn === 'regexp_contains')
    return args.length === 2 && second?.kind === 'literal';
  // Of two INT64, the second the number of rows in a group.
  if (fn === '$div') return args.every(isWhole) && second !== undefined && isKnownPositive(second, emission);
  // The times of events are bounded; a computed one is guarded where it is computed.
  return fn === 'timestamp_trunc' && first?.kind === 'column' && args.length === 2;
}

function isHarmlessCast({ value, type }: CastExpr): boolean {
  if (value.type.kind === 'INT64') return type.kind === 'FLOAT64';
  return value.type.kind === 'TIMESTAMP' && type.kind === 'DATETIME';
}
