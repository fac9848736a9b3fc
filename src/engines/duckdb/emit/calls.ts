import { isLateBound } from '../../../googlesql/plan/lateBoundTimes.ts';
import { constantTexts } from '../../../googlesql/resolve/constantTexts.ts';
import type { AggregateCall, CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { comparison } from '../functions/comparisons.ts';
import type { EmitContext, EmittedCall } from '../functions/emitContext.ts';
import { emitFunction } from '../functions/emitters.ts';
import { bind } from '../functions/sqlFragments.ts';
import { isConstantSeries } from './constantSeries.ts';
import type { Emission } from './emission.ts';
import { quoteText } from './literal.ts';
import { isKnownFinite, isKnownPositive, isWhole } from './numberFacts.ts';
import { sortKeyParts } from './sortKeys.ts';

/** Writes a call of a scalar function. */
export function emitCall(call: CallExpr, emission: Emission): string {
  const [negated] = call.args;
  if (call.fn === '$not' && negated?.kind === 'call' && negated.fn === '$is_null') {
    const [value] = negated.args.map((arg) => emitArgument(arg, emission));
    return `(${value} IS NOT NULL)`;
  }
  const args = call.args.map((arg) => emitArgument(arg, emission));
  const context: EmitContext = {
    ...contextOf(call, call.type, call.safe, emission),
    isConstantSeries: isConstantSeries(call, emission.slots),
  };
  const json = extremeArgument(call, args, context);
  if (json !== null) return json;
  const emitted = emitFunction(call.fn, args, context);
  return typeof emitted === 'string' ? emitted : emitted.wrap(emitted.call);
}

/** Writes a call of an aggregate or window function, without OVER. */
export function emitAggregateCall(call: AggregateCall, emission: Emission): EmittedCall {
  const args = call.args.map((arg) => emitArgument(arg, emission));
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

/**
 * Whether FORMAT takes a width from a `*`. The width is written into the text, so a late-bound time there has to be
 * read, and the query is planned for each call.
 */
const readsWidths = ({ fn, args: [format] }: Pick<CallExpr, 'fn' | 'args'>): boolean =>
  fn === 'format' && format?.kind === 'literal' && typeof format.value === 'string' && format.value.includes('*');

function contextOf(
  call: Pick<CallExpr, 'fn' | 'args' | 'pos'>,
  returns: SqlType,
  safe: boolean,
  emission: Emission,
): EmitContext {
  const readsMoving = readsWidths(call);
  const raised = `logmill:${call.pos.line}:${call.pos.column}:`;
  return {
    argTypes: call.args.map((arg) => (arg.kind === 'part' ? { kind: 'STRING' } : arg.type)),
    returns,
    constants: call.args.map((arg) =>
      arg.kind === 'literal' && (readsMoving || !isLateBound(arg)) ? arg.value : undefined,
    ),
    constantTexts: call.args.map(constantTexts),
    wholeNumbers: call.args.map(isWhole),
    finite: call.args.map((arg) => isKnownFinite(arg, emission)),
    positive: call.args.map((arg) => isKnownPositive(arg, emission)),
    fail: (sentence) => `error(${quoteText(`${raised}${sentence}`)})`,
    failWith: (sentence) => `error(${quoteText(raised)} || ${sentence})`,
    safe,
  };
}

/** GREATEST and LEAST of JSON values, in the order of JSON values; NULL if one is NULL. */
function extremeArgument(call: CallExpr, args: readonly string[], context: EmitContext): string | null {
  if (call.fn !== 'greatest' && call.fn !== 'least') return null;
  if (call.args.length === 0 || !call.args.every((arg) => arg.kind !== 'part' && arg.type.kind === 'JSON')) return null;
  const isBetter = comparison(call.fn === 'greatest' ? '>=' : '<=');
  return args.reduce((best, arg) =>
    bind(
      [best, arg],
      (a = '', b = '') =>
        `CASE WHEN ${a} IS NULL OR ${b} IS NULL THEN NULL WHEN ${isBetter([a, b], context)} THEN ${a} ELSE ${b} END`,
    ),
  );
}
