import type { AggregateCall, AggregateRelation, CallArgument, Computed } from '../../../googlesql/resolve/tree.ts';
import type { Emission } from './emission.ts';

/** Functions that give one of their arguments, or arithmetic: what grows beyond all numbers is an error there, or NULL. */
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
 * Whether a FLOAT64 is known to be neither NaN nor infinite where it is not NULL: numbers of events are, as no JSON number
 * is either and no text is read as such a number by its place; so are those made of INT64.
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

/** Whether a FLOAT64 is made of an INT64. */
export function isWhole(expr: CallArgument): boolean {
  if (expr.kind === 'cast') return expr.value.type.kind === 'INT64';
  return expr.kind === 'pathRead' && expr.base.type.kind === 'INT64';
}

/** Whether a number is known to be greater than zero where it is not NULL: the number of rows in a group is. */
export function isKnownPositive(expr: CallArgument, emission: Emission): boolean {
  if (expr.kind === 'cast') return isWhole(expr) && isKnownPositive(expr.value, emission);
  return expr.kind === 'column' && emission.positive.has(expr.column);
}

/** Aggregates that give one of their values, or an error where they would grow beyond all numbers. */
const finiteAggregates: ReadonlySet<string> = new Set(['min', 'max', 'any_value', 'sum', 'avg', '$approx_quantile_at']);

/** Notes what is known of computed columns. */
export function noteComputed(items: readonly Computed[], emission: Emission): void {
  for (const { column, expr } of items) {
    if (isKnownFinite(expr, emission)) emission.finite.add(column);
    if (isKnownPositive(expr, emission)) emission.positive.add(column);
  }
}

/** Notes what is known of the columns of an aggregation. Without keys, and in the totals of a ROLLUP, a group may be empty. */
export function noteAggregates({ keys, rollup, aggregates }: AggregateRelation, emission: Emission): void {
  noteComputed(keys, emission);
  for (const { column, fn, args } of aggregates) {
    const [value] = args;
    if (value !== undefined && finiteAggregates.has(fn) && isKnownFinite(value, emission)) emission.finite.add(column);
    if (isCountOfRows(fn, args) && keys.length > 0 && !rollup) emission.positive.add(column);
  }
}

const isCountOfRows = (fn: AggregateCall['fn'], args: AggregateCall['args']) => fn === 'count' && args.length === 0;
