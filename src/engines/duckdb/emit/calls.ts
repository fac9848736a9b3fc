import type { AggregateCall, CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { EmitContext, EmittedCall } from '../functions/emitContext.ts';
import { emitFunction } from '../functions/emitters.ts';
import type { Emission } from './emission.ts';

import { quoteText } from './literal.ts';
import { jsonOrder, sortKeyParts } from './sortKeys.ts';

/** A call of a function of one row. */
export function emitCall(call: CallExpr, emission: Emission): string {
  const args = call.args.map((arg) => emitArgument(arg, emission));
  const json = compareJson(call, args);
  if (json !== null) return json;
  const emitted = emitFunction(call.fn, args, contextOf(call, call.type, call.safe, emission));
  return typeof emitted === 'string' ? emitted : emitted.wrap(emitted.call);
}

/** A call of an aggregate or window function, without OVER. */
export function emitAggregateCall(call: AggregateCall, emission: Emission): EmittedCall {
  const args = call.args.map((arg) => emitArgument(arg, emission));
  const extreme = extremeOfJson(call, args);
  if (extreme !== null) return extreme;
  const context: EmitContext = {
    ...contextOf(call, call.column.type, false, emission),
    modifiers: {
      distinct: call.modifiers.distinct,
      nulls: call.modifiers.nulls,
      limit: call.modifiers.limit,
      orderBy: call.modifiers.orderBy.flatMap((key) => sortKeyParts(key, emission)),
    },
  };
  return emitFunction(call.fn, args, context);
}

function emitArgument(arg: CallArgument, emission: Emission): string {
  return arg.kind === 'part' ? arg.part : emission.expr(arg);
}

function contextOf(
  call: Pick<CallExpr, 'args' | 'pos'>,
  returns: SqlType,
  safe: boolean,
  emission: Emission,
): EmitContext {
  return {
    argTypes: call.args.map((arg) => (arg.kind === 'part' ? { kind: 'STRING' } : arg.type)),
    returns,
    nowMicros: emission.nowMicros,
    constants: call.args.map((arg) => (arg.kind === 'literal' ? arg.value : undefined)),
    fail: (sentence) => `error(${quoteText(`logmill:${call.pos.line}:${call.pos.column}:${sentence}`)})`,
    safe,
  };
}

const comparisons: Readonly<Record<string, string>> = { $eq: '=', $ne: '<>', $lt: '<', $le: '<=', $gt: '>', $ge: '>=' };

/** Comparisons of JSON values alone, and what is made of them. */
function compareJson(call: CallExpr, args: readonly string[]): string | null {
  if (call.args.length === 0 || !call.args.every((arg) => arg.kind !== 'part' && arg.type.kind === 'JSON')) return null;
  const [left, right] = args;
  if (left === undefined || right === undefined) return null;
  if (call.fn === 'greatest') return args.reduce((best, arg) => extreme(best, arg, '>='));
  if (call.fn === 'least') return args.reduce((best, arg) => extreme(best, arg, '<='));
  if (call.fn === '$is_distinct')
    return `coalesce(${comparedJson(left, right, '<>')}, (${left} IS NULL) <> (${right} IS NULL))`;
  const operator = comparisons[call.fn];
  return operator === undefined ? null : comparedJson(left, right, operator);
}

/** Two JSON values compare as numbers if both are, else as text (googlesql.md, section 2). */
function comparedJson(left: string, right: string, operator: string): string {
  const bothNumbers = [left, right].map((side) => `regexp_matches(CAST(${side} AS VARCHAR), '^[-0-9]')`).join(' AND ');
  const asNumbers = `CAST(${left} AS DOUBLE) ${operator} CAST(${right} AS DOUBLE)`;
  const asText = `json_extract_string(${left}, '$') ${operator} json_extract_string(${right}, '$')`;
  return `CASE WHEN ${left} IS NULL OR ${right} IS NULL THEN NULL WHEN ${bothNumbers} THEN ${asNumbers} ELSE ${asText} END`;
}

function extreme(best: string, next: string, operator: string): string {
  return `CASE WHEN ${best} IS NULL OR ${next} IS NULL THEN NULL WHEN ${comparedJson(best, next, operator)} THEN ${best} ELSE ${next} END`;
}

/** MIN, MAX, MIN_BY and MAX_BY ordered by a JSON value: numbers before text. */
function extremeOfJson(call: AggregateCall, args: readonly string[]): string | null {
  const isExtreme = call.fn === 'min' || call.fn === 'max';
  if (!isExtreme && call.fn !== 'min_by' && call.fn !== 'max_by') return null;
  const by = call.args[isExtreme ? 0 : 1];
  const [value] = args;
  const order = args[isExtreme ? 0 : 1];
  if (value === undefined || order === undefined || by === undefined || by.kind === 'part' || by.type.kind !== 'JSON')
    return null;
  const { isText, number, text } = jsonOrder(order);
  const key = `CASE WHEN ${order} IS NOT NULL THEN struct_pack(a := ${isText}, b := ${number}, c := ${text}) END`;
  return `arg_${call.fn.slice(0, 3)}${isExtreme ? '' : '_null'}(${value}, ${key})`;
}
