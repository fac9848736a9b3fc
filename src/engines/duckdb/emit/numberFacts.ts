import type { AggregateCall, AggregateRelation, CallArgument, Computed } from '../../../googlesql/resolve/tree.ts';
import type { Emission } from './emission.ts';

/** Functions that return one of their arguments, and arithmetic: overflow is an error or NULL. */
const staysFinite: ReadonlySet<string> = new Set([
  'coalesce',
  'ifnull',
  '$add',
  '$sub',
  '$mul',
  '$div',
  '$neg',
  'safe_divide',
]);

/**
 * Whether a FLOAT64 is known to be neither NaN nor infinite, unless it is NULL. This holds for numbers of events,
 * because JSON has no such numbers and no text is read as one, and for numbers computed from INT64.
 */
export function isKnownFinite(expr: CallArgument, emission: Emission): boolean {
  if (expr.kind === 'part' || expr.type.kind !== 'FLOAT64') return false;
  switch (expr.kind) {
    case 'column':
      return emission.finite.has(expr.column);
    case 'literal':
      return expr.value === null || Number.isFinite(Number(expr.value));
    case 'pathRead':
      return true;
    case 'cast':
      return isWhole(expr);
    case 'case':
      return [...expr.branches.map(({ value }) => value), ...(expr.otherwise === null ? [] : [expr.otherwise])].every(
        (value) => isKnownFinite(value, emission),
      );
    case 'call':
      return staysFinite.has(expr.fn) && expr.args.every((arg) => isKnownFinite(arg, emission));
    default:
      return false;
  }
}

/** Whether a FLOAT64 is computed from an INT64. */
export function isWhole(expr: CallArgument): boolean {
  if (expr.kind === 'cast') return expr.value.type.kind === 'INT64';
  return expr.kind === 'pathRead' && expr.base.type.kind === 'INT64';
}

/** Whether a number is known to be positive, unless it is NULL. This holds for the number of rows in a group. */
export function isKnownPositive(expr: CallArgument, emission: Emission): boolean {
  if (expr.kind === 'cast') return isWhole(expr) && isKnownPositive(expr.value, emission);
  return expr.kind === 'column' && emission.positive.has(expr.column);
}

/** Aggregates that return one of their values, or fail on overflow. */
const finiteAggregates: ReadonlySet<string> = new Set(['min', 'max', 'any_value', 'sum', 'avg', '$approx_quantile_at']);

/** Records what is known of computed columns. */
export function noteComputed(items: readonly Computed[], emission: Emission): void {
  for (const { column, expr } of items) {
    if (isKnownFinite(expr, emission)) emission.finite.add(column);
    if (isKnownPositive(expr, emission)) emission.positive.add(column);
  }
}

/**
 * Records what is known of the columns of an aggregation. Without keys, and in the totals of a ROLLUP, a group may be
 * empty.
 */
export function noteAggregates({ keys, rollup, aggregates }: AggregateRelation, emission: Emission): void {
  noteComputed(keys, emission);
  for (const { column, fn, args } of aggregates) {
    const [value] = args;
    if (value !== undefined && finiteAggregates.has(fn) && isKnownFinite(value, emission)) emission.finite.add(column);
    if (isCountOfRows(fn, args) && keys.length > 0 && !rollup) emission.positive.add(column);
  }
}

const isCountOfRows = (fn: AggregateCall['fn'], args: AggregateCall['args']) => fn === 'count' && args.length === 0;
