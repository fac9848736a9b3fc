import { daysOfDate } from '../../../core/instantText.ts';
import { weekStartOf } from '../../../googlesql/functions/dateParts.ts';
import { holds } from '../../../googlesql/resolve/holds.ts';
import type { CallExpr, Expr } from '../../../googlesql/resolve/tree.ts';
import { timestampLiteral } from '../sqlText.ts';
import { dayMicros } from './times.ts';

/**
 * Stands among the pathKeys at which an event is irregular if its time is within a century of an end of TIMESTAMP, such as
 * 0001-01-01, which some programs send for no time. What is computed from it may be beyond the end, which is an error of the
 * query that only DuckDB finds. It is no pathKey, because those are lists.
 */
export const outerTimeKey = 'outer time';

const microsOfDays = (days: bigint): bigint => days * BigInt(dayMicros);
const startOf = (year: number): bigint => microsOfDays(BigInt(daysOfDate(year, 1, 1) ?? 0));
const first = startOf(102);
const end = startOf(9898);

/** TRUE for an event with such a time; never NULL. */
export const isOuterTime = `(timestamp < ${timestampLiteral(first)} OR timestamp >= ${timestampLiteral(end)})`;

/** The same for a time in microseconds. */
export const isOuterMicros = (micros: number | bigint): boolean => micros < first || micros >= end;

/** Whether the result of a call may be beyond an end of TIMESTAMP although its argument is not. */
export function leavesTimes({ fn, args }: Pick<CallExpr, 'fn' | 'args'>): boolean {
  switch (fn) {
    case 'timestamp_add':
    case 'timestamp_sub':
    case 'timestamp_bucket':
      return true;
    case 'timestamp_trunc':
    case 'datetime_trunc':
    case 'date_trunc':
      return args.some((arg) => arg.kind === 'part' && weekStartOf(arg.part) !== undefined);
    default:
      return false;
  }
}

/** Whether an expression has such a call. */
export const mayLeaveTimes = (expr: Expr): boolean => holds(expr, (each) => each.kind === 'call' && leavesTimes(each));

/** Whether an expression has a constant time near an end of TIMESTAMP, which no check of events finds. */
export const hasOuterConstant = (expr: Expr): boolean =>
  holds(expr, (each) => {
    if (each.kind !== 'literal' || typeof each.value !== 'bigint') return false;
    switch (each.type.kind) {
      case 'TIMESTAMP':
      case 'DATETIME':
        return isOuterMicros(each.value);
      case 'DATE':
        return isOuterMicros(microsOfDays(each.value));
      default:
        return false;
    }
  });
