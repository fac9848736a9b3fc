import { daysOfDate } from '../../core/instantText.ts';
import { textAs } from '../resolve/coercion.ts';
import type { CallArgument, CallExpr, CastExpr, Expr, LiteralExpr } from '../resolve/tree.ts';
import { type SqlType, TIMESTAMP } from '../types.ts';
import { firstMicros, floorDiv, lastMicros, microsPerDay } from './calendarParts.ts';
import { chainOf, type Range } from './monotoneFunctions.ts';

/**
 * Computes a call or cast of INT64 and time literals. Returns the expression itself for anything else, if the result is not
 * exact, or if it would be an error, which the engine reports.
 */
export function foldArithmetic(expr: CallExpr | CastExpr): Expr {
  const operands = expr.kind === 'cast' ? [expr.value] : expr.args;
  if (!isCounted(expr.type) || !operands.every(isKnown)) return expr;
  return fromChain(expr) ?? (expr.kind === 'cast' ? fromText(expr, expr.value) : ofLiterals(expr)) ?? expr;
}

/** Whether an operand is a literal, a part, or an INTERVAL of them. */
const isKnown = (operand: CallArgument): boolean =>
  operand.kind === 'literal' ||
  operand.kind === 'part' ||
  (operand.kind === 'call' && operand.fn === '$interval' && operand.args.every(isKnown));

/** Rewrites CURRENT_DATE, CURRENT_DATETIME and CURRENT_TIME as functions of `now`; null for any other call. */
export function atNow(expr: CallExpr, now: () => Expr): CallExpr | null {
  const of = { current_date: 'date', current_datetime: 'datetime', current_time: 'time' } as const;
  const fn = of[expr.fn as keyof typeof of];
  return fn === undefined ? null : { ...expr, fn, args: [now(), ...expr.args] };
}

/** Whether literals of the type are integers (INT64, and times as counts of microseconds or days). */
export function isCounted(type: SqlType): boolean {
  return type.kind === 'INT64' || type.kind === 'TIMESTAMP' || type.kind === 'DATETIME' || type.kind === 'DATE';
}

/** The range of values of a type. */
function boundsOf(type: SqlType): { readonly from: bigint; readonly to: bigint } {
  if (type.kind === 'INT64') return { from: -(2n ** 63n), to: 2n ** 63n - 1n };
  if (type.kind === 'DATE')
    return { from: floorDiv(firstMicros, microsPerDay), to: floorDiv(lastMicros, microsPerDay) };
  return { from: firstMicros, to: lastMicros };
}

function counted(type: SqlType, value: bigint): LiteralExpr | null {
  const { from, to } = boundsOf(type);
  return value < from || value > to ? null : { kind: 'literal', type, value };
}

/** Computes a chain of functions of a literal. Each step must be exact and within the range of its type. */
function fromChain(expr: CallExpr | CastExpr): Expr | null {
  const chain = chainOf(expr);
  if (chain?.of.kind !== 'literal') return null;
  const { value } = chain.of;
  if (value === null) return { kind: 'literal', type: expr.type, value: null };
  if (typeof value !== 'bigint') return null;
  let at: Range = { from: value, to: value };
  for (const step of chain.steps) at = step.image(at);
  return at.from === null || at.from !== at.to ? null : counted(expr.type, at.from);
}

function ofLiterals(expr: CallExpr): Expr | null {
  const { fn, args } = expr;
  const [first] = args;
  if (first === undefined) return null;
  if ((fn === 'date' || fn === 'datetime' || fn === 'timestamp') && args.length === 1 && first.kind !== 'part') {
    return fromText(expr, first);
  }
  const values: bigint[] = [];
  for (const arg of args) {
    if (arg.kind !== 'literal' || typeof arg.value !== 'bigint') return null;
    values.push(arg.value);
  }
  const [x = 0n, y = 0n, z = 0n] = values;
  if (fn === 'date' && values.length === 3) {
    const days = daysOfDate(Number(x), Number(y), Number(z));
    return days === undefined ? null : counted(expr.type, BigInt(days));
  }
  if (fn !== 'least' && fn !== 'greatest') return null;
  return counted(
    expr.type,
    values.reduce((a, b) => (a < b === (fn === 'least') ? a : b)),
  );
}

/** Texts that the engine reads in the same way: no one-digit months, no named zones, at most six fraction digits. */
const plainTime = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)?$/;
const plainInteger = /^-?\d{1,18}$/;

function fromText({ type, kind }: CallExpr | CastExpr, text: Expr): Expr | null {
  if (text.kind !== 'literal' || typeof text.value !== 'string' || text.type.kind !== 'STRING') return null;
  if (type.kind === 'INT64') {
    return kind === 'cast' && plainInteger.test(text.value) ? counted(type, BigInt(text.value)) : null;
  }
  if (!plainTime.test(text.value)) return null;
  // DATE(text) accepts a time and takes its date in UTC; CAST accepts only dates.
  const read = textAs(text.value, type.kind === 'DATE' && kind === 'call' ? TIMESTAMP : type);
  if (typeof read !== 'bigint') return null;
  return counted(type, type.kind === 'DATE' && kind === 'call' ? floorDiv(read, microsPerDay) : read);
}
