import type { AggregateCall, CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import type { EmitContext, EmittedCall } from '../functions/emitContext.ts';
import { emitFunction } from '../functions/emitters.ts';
import type { Emission } from './emission.ts';
import { emitExpr, jsonOrder, sortKeyParts } from './expressions.ts';
import { quoteText } from './literal.ts';

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
  return arg.kind === 'part' ? arg.part : emitExpr(arg, emission);
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

/** Two JSON values compare as numbers if both are, else as text (googlesql.md, section 2). */
function compareJson(call: CallExpr, args: readonly string[]): string | null {
  const operator = comparisons[call.fn];
  const [left, right] = args;
  const isJson = call.args.every((arg) => arg.kind !== 'part' && arg.type.kind === 'JSON');
  if (operator === undefined || left === undefined || right === undefined || !isJson) return null;
  const bothNumbers = [left, right].map((side) => `regexp_matches(CAST(${side} AS VARCHAR), '^[-0-9]')`).join(' AND ');
  const asNumbers = `CAST(${left} AS DOUBLE) ${operator} CAST(${right} AS DOUBLE)`;
  const asText = `json_extract_string(${left}, '$') ${operator} json_extract_string(${right}, '$')`;
  return `CASE WHEN ${left} IS NULL OR ${right} IS NULL THEN NULL WHEN ${bothNumbers} THEN ${asNumbers} ELSE ${asText} END`;
}

/** MIN and MAX of JSON values: numbers before text. */
function extremeOfJson(call: AggregateCall, args: readonly string[]): string | null {
  const [value] = args;
  const [arg] = call.args;
  const isExtreme = call.fn === 'min' || call.fn === 'max';
  if (!isExtreme || value === undefined || arg === undefined || arg.kind === 'part' || arg.type.kind !== 'JSON')
    return null;
  const { isText, number, text } = jsonOrder(value);
  const key = `CASE WHEN ${value} IS NOT NULL THEN struct_pack(a := ${isText}, b := ${number}, c := ${text}) END`;
  return `arg_${call.fn}(${value}, ${key})`;
}
