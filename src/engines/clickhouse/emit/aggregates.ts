import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import type { AggregateCall, CallArgument, Expr } from '../../../googlesql/resolve/tree.ts';
import { BOOL } from '../../../googlesql/types.ts';
import type { Check } from './fetch.ts';
import { jsonKey } from './jsonRead.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';
import { constant, nameOf, type Place } from './place.ts';
import { extremeOrder } from './scalarJson.ts';

/** A condition on a group, and what it means if it is true. */
export interface GroupCheck {
  readonly sql: string;
  readonly check: Check;
}

export interface PushedAggregate {
  readonly sql: string;
  readonly checks: readonly GroupCheck[];
  readonly isFinite: boolean;
  /** Whether it is a JSON value (`ScalarCell`). */
  readonly isScalar?: true;
}

type Writer = (call: AggregateCall, place: Place) => PushedAggregate;

const plain = (sql: string, areFinite = false): PushedAggregate => ({ sql, checks: [], isFinite: areFinite });

/** Writes a call of an aggregate over the rows of a group. Throws like `Place.expr`. */
export function emitAggregate(call: AggregateCall, place: Place): PushedAggregate {
  const { modifiers, fn } = call;
  const write = pushedAggregates[fn] ?? notPushed(nameOf(fn));
  if (modifiers.orderBy.length > 0 || modifiers.limit !== null || modifiers.nulls !== null)
    notPushed(`${nameOf(fn)} with ORDER BY, LIMIT or NULLS`);
  if (modifiers.distinct && fn !== 'count') notPushed(`${nameOf(fn)} of DISTINCT values`);
  return write(call, place);
}

/** A value by which rows are grouped or counted. Equal values have equal texts: NaN is one value, and so is zero. */
export function groupValue(expr: Expr, place: Place): { readonly sql: string; readonly checks: readonly GroupCheck[] } {
  if (expr.type.kind === 'JSON') {
    const { sql, isOther } = jsonKey(place.member(expr) ?? notPushed('a nested value as a whole'));
    return { sql, checks: [{ sql: `max(${isOther})`, check: { kind: 'inexact', part: 'json' } }] };
  }
  engineType(expr.type);
  const sql = place.expr(expr);
  if (expr.type.kind !== 'FLOAT64') return { sql, checks: [] };
  return { sql: place.isFinite(expr) ? `(${sql} + 0.)` : `if(isNaN(${sql}), nan, ${sql} + 0.)`, checks: [] };
}

function value(call: AggregateCall): Expr {
  const [first] = call.args;
  return first === undefined || first.kind === 'part' ? notPushed(nameOf(call.fn)) : first;
}

const error = ({ pos }: AggregateCall, sql: string, sentence: string): GroupCheck => ({
  sql,
  check: { kind: 'error', line: pos.line, column: pos.column, sentence },
});

const count: Writer = (call, place) => {
  if (call.args.length === 0) return plain('toInt64(count())');
  const expr = value(call);
  if (call.modifiers.distinct) return distinct(call, place);
  // Only whether a value is there counts.
  if (expr.type.kind === 'JSON' && place.member(expr) !== null) {
    return plain(`toInt64(countIf(NOT ${place.expr(isNull(expr))}))`);
  }
  engineType(expr.type);
  return plain(`toInt64(count(${place.expr(expr)}))`);
};

const isNull = (expr: Expr): Expr => ({
  kind: 'call',
  type: BOOL,
  fn: '$is_null',
  args: [expr],
  safe: false,
  pos: start,
});

const start = { offset: 0, line: 1, column: 1 };

const distinct: Writer = (call, place) => {
  const { sql, checks } = groupValue(value(call), place);
  return { sql: `toInt64(uniqExact(${sql}))`, checks, isFinite: false };
};

const limits = ['-9223372036854775808', '9223372036854775807'] as const;

/** In 128 bits, which no number of rows exceeds. */
const sum: Writer = (call, place) => {
  if (call.column.type.kind === 'FLOAT64') return floatTotal('sum')(call, place);
  if (call.column.type.kind !== 'INT64') return notPushed(`SUM of ${call.column.type.kind}`);
  const total = `sumOrNull(toInt128(${place.expr(value(call))}))`;
  const isBeyond = `ifNull(${total} < toInt128('${limits[0]}') OR ${total} > toInt128('${limits[1]}'), false)`;
  return {
    sql: `accurateCastOrNull(${total}, 'Int64')`,
    checks: [error(call, isBeyond, 'SUM is beyond the range of INT64.')],
    isFinite: false,
  };
};

/** Infinite values stay infinite, but an overflow is an error. */
const floatTotal =
  (name: 'sum' | 'avg'): Writer =>
  (call, place) => {
    const expr = value(call);
    if (call.column.type.kind !== 'FLOAT64' || expr.type.kind !== 'FLOAT64')
      return notPushed(`${nameOf(call.fn)} of ${expr.type.kind}`);
    const sql = place.expr(expr);
    const total = `${name}OrNull(${sql})`;
    const areFinite = place.isFinite(expr);
    const given = areFinite ? '' : ` AND countIf(NOT isFinite(${sql})) = 0`;
    const isBeyond = `ifNull(NOT isFinite(${total}), false)${given}`;
    const sentence = `${name.toUpperCase()} adds up to more than FLOAT64 holds.`;
    return { sql: total, checks: [error(call, isBeyond, sentence)], isFinite: areFinite };
  };

/** NaN is both the least and the greatest number. */
const extreme =
  (name: 'min' | 'max'): Writer =>
  (call, place) => {
    const expr = value(call);
    if (expr.type.kind === 'JSON') return extremeScalar(name, expr, place);
    engineType(expr.type);
    const sql = place.expr(expr);
    const found = `${name}OrNull(${sql})`;
    if (expr.type.kind !== 'FLOAT64') return plain(found);
    const areFinite = place.isFinite(expr);
    return plain(areFinite ? found : `if(countIf(isNaN(${sql})) > 0, nan, ${found})`, areFinite);
  };

/** JSON values have their own order, with numbers before text. Objects and arrays are for the rest. */
function extremeScalar(name: 'min' | 'max', expr: Expr, place: Place): PushedAggregate {
  const { sql, checks } = groupValue(expr, place);
  const found = `arg${name === 'min' ? 'Min' : 'Max'}If(${sql}, ${extremeOrder(sql)}, isNotNull(${sql}))`;
  return { sql: found, checks, isFinite: false, isScalar: true };
}

const logical =
  (name: 'minOrNull' | 'maxOrNull'): Writer =>
  (call, place) =>
    plain(`(${name}(toUInt8(${place.expr(value(call))})) = 1)`);

const quantileCountMax = 10_000n;

/** An element of APPROX_QUANTILES, exact (contract, section 2): the ⌈index·n/count⌉-th of the sorted values. */
const quantileAt: Writer = (call, place) => {
  const expr = value(call);
  engineType(expr.type);
  const quantiles = wholeArgument(call.args[1]);
  const index = wholeArgument(call.args[2]);
  if (quantiles === undefined || quantiles < 1n || quantiles > quantileCountMax)
    return notPushed('APPROX_QUANTILES with this count');
  if (index === undefined || index < 0n || index > quantiles) return notPushed('an element beyond APPROX_QUANTILES');
  const sql = place.expr(expr);
  const nanable = expr.type.kind === 'FLOAT64' && !place.isFinite(expr);
  const found = `count(${sql})`;
  const position = `greatest(1, intDiv(${index} * ${found} + ${quantiles - 1n}, ${quantiles}))`;
  if (!nanable) {
    const sorted = `arraySort(groupArray(${sql}))`;
    return plain(`if(${found} = 0, NULL, ${sorted}[${position}])`, place.isFinite(expr));
  }
  // NaN comes before all numbers.
  const nans = `countIf(isNaN(${sql}))`;
  const sorted = `arraySort(groupArrayIf(${sql}, NOT isNaN(${sql})))`;
  return plain(
    `multiIf(${found} = 0, NULL, ${position} <= ${nans}, nan, ${sorted}[toInt64(${position}) - toInt64(${nans})])`,
  );
};

function wholeArgument(arg: CallArgument | undefined): bigint | undefined {
  return constant(arg, 'bigint');
}

/** The aggregates that are pushed, as far as their writers accept the arguments. */
export const pushedAggregates: Readonly<Partial<Record<FunctionName, Writer>>> = {
  count,
  countif: (call, place) => plain(`toInt64(countIf(ifNull(${place.expr(value(call))}, false)))`),
  approx_count_distinct: distinct,
  sum,
  avg: floatTotal('avg'),
  min: extreme('min'),
  max: extreme('max'),
  logical_and: logical('minOrNull'),
  logical_or: logical('maxOrNull'),
  $approx_quantile_at: quantileAt,
};
