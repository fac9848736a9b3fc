import type { AggregateCall, CallArgument, Computed } from '../../../googlesql/resolve/tree.ts';
import type { Emission } from './emission.ts';

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
      return (expr.fn === 'coalesce' || expr.fn === 'ifnull') && expr.args.every((arg) => isKnownFinite(arg, emission));
    default:
      return false;
  }
}

/** Whether a FLOAT64 is made of an INT64. */
export function isWhole(expr: CallArgument): boolean {
  if (expr.kind === 'cast') return expr.value.type.kind === 'INT64';
  return expr.kind === 'pathRead' && expr.base.type.kind === 'INT64';
}

/** Aggregates that give one of their values, or an error where they would grow beyond all numbers. */
const finiteAggregates: ReadonlySet<string> = new Set(['min', 'max', 'any_value', 'sum', 'avg', '$approx_quantile_at']);

/** Notes which of the computed columns are finite. */
export function noteFinite(items: readonly Computed[], calls: readonly AggregateCall[], emission: Emission): void {
  for (const { column, expr } of items) if (isKnownFinite(expr, emission)) emission.finite.add(column);
  for (const { column, fn, args } of calls) {
    const [value] = args;
    if (value !== undefined && finiteAggregates.has(fn) && isKnownFinite(value, emission)) emission.finite.add(column);
  }
}
