import type { ServiceError } from '../../core/errors.ts';
import type { CatalogueEntry } from '../functions/catalogue.ts';
import { findFunction, nearestFunction, operatorFunction, refusalOf } from '../functions/catalogue.ts';
import { readFormat } from '../functions/formatText.ts';
import { jsonReaders } from '../functions/json.ts';
import { isSystemFunction } from '../functions/systemFunctions.ts';
import type { Expression, FunctionArgument, FunctionCall, HavingModifier, Position } from '../syntax/nodes.ts';
import { FLOAT64, INT64, STRING, TIMESTAMP } from '../types.ts';
import { call } from './catalogueCall.ts';
import { coerce, isTimeType } from './coercion.ts';
import { concatenated } from './concatenated.ts';
import { constantText } from './constantText.ts';
import type { ExpressionContext } from './context.ts';
import { noteCutArguments } from './cutNanoseconds.ts';
import { holdsCall } from './holdsCall.ts';
import { withoutNames } from './namedArguments.ts';
import type { Aliases, NameScope } from './nameScope.ts';
import { resolveOrdering } from './ordering.ts';
import { matchSignature, shownName } from './signatures.ts';
import { sqlError } from './sqlError.ts';
import type { CallArgument, CallModifiers, Expr } from './tree.ts';
import { checkWindow, resolveWindow } from './windows.ts';

/** Resolves a call of a catalogue function; other functions do not exist. */
export function resolveFunctionCall(node: FunctionCall, context: ExpressionContext): Expr {
  const name = node.name.map((part) => part.name).join('.');
  const fn = findFunction(name);
  if (fn === undefined) throw unknownFunction(name, node.pos);
  if (node.having !== undefined) return resolveHavingModifier(fn, node, node.having, context);
  if (fn.name === 'current_timestamp') {
    context.session.usesNow = true;
    return { kind: 'now', type: TIMESTAMP };
  }
  if (fn.name.startsWith('current_')) context.session.usesNow = true;
  if (fn.isVolatile === true) context.session.isVolatile = true;
  if (fn.name === 'rand' && context.session.isCached) throw randInCache(node.pos);
  if (fn.kind === 'scalar') return resolveScalar(fn, node, context);
  if (node.over !== undefined) return resolveWindowed(fn, node, context);
  if (fn.kind === 'window') {
    throw sqlError('sql.type', `${fn.name.toUpperCase()} requires OVER (…)`, node.pos, { token: name });
  }
  return resolveAggregate(fn, node, context);
}

/** googlesql.md, section 3: "rand refused in cached queries". */
function randInCache(pos: Position): ServiceError {
  const sentence =
    'RAND is not available because this endpoint caches its results (cache_seconds); remove it, or use FARM_FINGERPRINT of the id for a repeatable sample';
  return sqlError('sql.unsupported', sentence, pos, { token: 'rand', nearest: 'FARM_FINGERPRINT' });
}

/** Resolves `any_value(x having max y)` as MAX_BY(x, y), its short form (GoogleSQL, "MAX_BY"). */
function resolveHavingModifier(
  fn: CatalogueEntry,
  node: FunctionCall,
  having: HavingModifier,
  context: ExpressionContext,
): Expr {
  const word = `HAVING ${having.extreme.toUpperCase()}`;
  const by = `${having.extreme}_by` as const;
  const [value, ...rest] = node.args;
  if (fn.name !== 'any_value' || value === undefined || rest.length > 0) {
    const advice = `use it in ANY_VALUE, or ${by.toUpperCase()}`;
    throw sqlError('sql.unsupported', `${word} is available only in ANY_VALUE; ${advice}`, node.pos, {
      token: fn.name,
    });
  }
  if (node.over !== undefined) {
    const sentence = `${word} cannot be combined with OVER; use ${by.toUpperCase()}`;
    throw sqlError('sql.type', sentence, node.pos, { token: fn.name });
  }
  const call = { ...node, args: [value, having.expression], having: undefined };
  const chosen = findFunction(by);
  if (chosen === undefined) throw new Error(`the catalogue lacks ${by}`);
  return resolveAggregate(chosen, call, context);
}

function unknownFunction(name: string, pos: Position): Error {
  const refusal = refusalOf(name);
  if (refusal !== undefined) return sqlError('sql.unsupported', refusal.replace(/\.$/, ''), pos, { token: name });
  if (isSystemFunction(name)) {
    const sentence = `${name.slice(0, 80)} is not available: no function may read files, settings or the engine`;
    return sqlError('sandbox.function', sentence, pos, {
      token: name.slice(0, 80),
      rule: 'sandbox.system_function',
      expected: 'a function of GoogleSQL',
    });
  }
  const nearest = nearestFunction(name);
  return sqlError('sql.unknown_name', `Unknown function ${name.slice(0, 80)}`, pos, {
    token: name.slice(0, 80),
    expected: 'a function of GoogleSQL',
    ...(nearest !== undefined && { nearest }),
  });
}

function resolveScalar(fn: CatalogueEntry, node: FunctionCall, context: ExpressionContext): Expr {
  if (node.over !== undefined) throw sqlError('sql.type', `${fn.name.toUpperCase()} does not accept OVER`, node.pos);
  if (node.isDistinct || node.nulls !== undefined || node.orderBy.length > 0 || node.limit !== undefined) {
    throw sqlError(
      'sql.type',
      `${fn.name.toUpperCase()} is not an aggregate, so it does not accept DISTINCT, NULLS, ORDER BY or LIMIT`,
      node.pos,
    );
  }
  const resolved = concatenated(fn.name, resolveArguments(fn, node.args, context), node.pos);
  const args = fn.name === 'format' ? withConstantFormat(resolved) : resolved;
  const matched = matchSignature(fn, args, node.pos);
  if (isTimeType(matched.type)) noteCutArguments(args, node.pos, context.session);
  if (fn.name === 'format') checkFormat(matched.args, node.pos);
  const read = jsonReaders.has(fn.name) ? ofTextInJson(matched.args, node.pos, context) : matched.args;
  return { kind: 'call', type: matched.type, fn: fn.name, args: read, safe: node.isSafe, pos: node.pos };
}

/** Lets JSON functions parse a string of an event; a string that PARSE_JSON made stays a string (googlesql.md, section 2). */
function ofTextInJson(
  [value, ...rest]: readonly CallArgument[],
  pos: Position,
  { session }: ExpressionContext,
): readonly CallArgument[] {
  if (value === undefined || value.kind === 'part') return [];
  const isNested = value.type.kind === 'JSON' && value.type.isNested === true;
  const isText = isNested && !session.isWholeMetadata(value);
  return [isText ? call('$json_in_text', [value], pos) : value, ...rest];
}

/** Replaces a format that is concatenated from literals with the resulting literal. */
function withConstantFormat([format, ...values]: readonly CallArgument[]): readonly CallArgument[] {
  if (format === undefined) return values;
  const text = format.kind === 'literal' ? undefined : constantText(format);
  return [text === undefined ? format : { kind: 'literal', type: STRING, value: text }, ...values];
}

/** Checks the values against a literal format. SAFE. does not suppress a mismatch (GoogleSQL, "FORMAT"). */
function checkFormat([format, ...values]: readonly CallArgument[], pos: Position): void {
  if (format?.kind !== 'literal' || typeof format.value !== 'string') return;
  const types = values.map((value) => (value.kind === 'part' ? { kind: 'NULL' as const } : value.type));
  const read = readFormat(format.value, types);
  if ('problem' in read) throw sqlError('sql.type', read.problem.replace(/\.$/, ''), pos, { token: 'format' });
}

function resolveArguments(
  fn: CatalogueEntry,
  nodes: readonly FunctionArgument[],
  context: ExpressionContext,
): readonly CallArgument[] {
  return withoutNames(fn, nodes).map((arg, i) => {
    if (arg === null) return { kind: 'literal', type: { kind: 'NULL' }, value: null };
    if (arg.kind === 'StarArgument') throw sqlError('sql.type', `${shownName(fn)} does not accept *`, arg.pos);
    const isPart = fn.signatures.some((signature) => signature.args[i]?.type === 'PART');
    const part = isPart ? partName(arg) : null;
    return part === null ? context.resolveExpr(arg, context) : { kind: 'part', part };
  });
}

/** The date part that a node names (`hour`, `week(monday)`), or null. Date parts are keywords, not expressions. */
function partName(node: Expression): string | null {
  if (node.kind === 'Name') return node.name.name.toLowerCase();
  if (node.kind !== 'FunctionCall' || node.name.length !== 1 || node.args.length !== 1) return null;
  const [argument] = node.args;
  if (argument?.kind !== 'Name') return null;
  return `${node.name[0]?.name ?? ''}(${argument.name.name})`.toLowerCase();
}

function resolveAggregate(fn: CatalogueEntry, node: FunctionCall, context: ExpressionContext): Expr {
  if (context.aggregates === null) {
    throw sqlError('sql.type', `The aggregate ${fn.name.toUpperCase()} is not allowed in ${context.clause}`, node.pos, {
      token: fn.name,
    });
  }
  // The arguments of an aggregate are evaluated for each row.
  const inner: ExpressionContext = {
    ...context,
    scope: withoutAliasesOf(context.windows === null ? 'aggregates' : 'both', context),
    aggregates: null,
    windows: null,
    clause: `an argument of ${fn.name.toUpperCase()}`,
  };
  const { args, type, modifiers } = aggregateParts(fn, node, inner);
  const column = context.session.newColumn(fn.name, type);
  context.aggregates.push({ column, fn: fn.name, args, modifiers, pos: node.pos });
  return { kind: 'column', type, column };
}

/**
 * Resolves `approx_quantiles(x, n)[offset(i)]` as that one quantile, which costs a fraction of computing all of them.
 * Null for any other call.
 */
export function resolveOneQuantile(node: FunctionCall, index: bigint, context: ExpressionContext): Expr | null {
  const [value, count, ...rest] = node.args;
  const isPlain = !node.isDistinct && !node.isSafe && node.nulls === undefined && node.over === undefined;
  if (!isPlain || node.name.length !== 1 || node.name[0]?.name.toLowerCase() !== 'approx_quantiles') return null;
  if (value === undefined || count?.kind !== 'IntegerLiteral' || rest.length > 0) return null;
  if (index < 0n || index > count.value || count.value > quantilesMax) return null;
  const position: FunctionArgument = {
    kind: 'IntegerLiteral',
    value: index,
    isHex: false,
    pos: node.pos,
    end: node.end,
  };
  return resolveAggregate(
    operatorFunction('$approx_quantile_at'),
    { ...node, args: [value, count, position] },
    context,
  );
}

/** A larger count resolves as the whole array, which is refused if it is too long. */
const quantilesMax = 10_000n;

type CallKinds = 'aggregates' | 'windows' | 'both';

/** By the aliases of a scope, those that hold no calls of these kinds. Calls are known before the aliases that hold them, so these do not change. */
const aliasesWithout = new WeakMap<Aliases, Map<CallKinds, Aliases>>();

/** Calls do not nest, so a name inside one means the column and not the alias of another call. */
function withoutAliasesOf(kinds: CallKinds, { scope, aggregates, windows }: ExpressionContext): NameScope {
  if (scope.aliases.size === 0) return scope;
  const found = aliasesWithout.get(scope.aliases) ?? new Map<CallKinds, Aliases>();
  aliasesWithout.set(scope.aliases, found);
  const known = found.get(kinds);
  if (known !== undefined) return scope.withAliases(known);
  const calls = [
    ...((kinds === 'windows' ? null : aggregates) ?? []),
    ...((kinds === 'aggregates' ? null : windows) ?? []),
  ];
  const columns = new Set(calls.map((call) => call.column));
  const kept = [...scope.aliases].map(
    ([name, exprs]) => [name, exprs.filter((expr) => !holdsCall(expr, columns))] as const,
  );
  const aliases = new Map(kept.filter(([, exprs]) => exprs.length > 0));
  found.set(kinds, aliases);
  return scope.withAliases(aliases);
}

function aggregateParts(fn: CatalogueEntry, node: FunctionCall, inner: ExpressionContext) {
  if (node.isSafe) throw sqlError('sql.unsupported', 'SAFE. is not available for aggregates', node.pos);
  const [first] = node.args;
  const isCountStar = fn.name === 'count' && first?.kind === 'StarArgument' && node.args.length === 1;
  const given = isCountStar ? [] : resolveArguments(fn, node.args, inner);
  const args = ranksNumbers.has(fn.name) ? given.map((arg) => asNumber(arg, node.pos)) : given;
  const matched = isCountStar ? { args, type: INT64 } : matchSignature(fn, args, node.pos);
  if (matched.type.kind === 'INTERVAL' && node.isDistinct && (fn.name === 'sum' || fn.name === 'avg')) {
    throw sqlError('sql.unsupported', `${fn.name.toUpperCase()} of INTERVAL does not accept DISTINCT`, node.pos);
  }
  return { args: matched.args, type: matched.type, modifiers: resolveModifiers(fn, node, inner) };
}

/** Quantiles read a nested value as a number (googlesql.md, section 2). */
const ranksNumbers: ReadonlySet<string> = new Set(['approx_quantiles', '$approx_quantile_at', 'percentile_disc']);

function asNumber(arg: CallArgument, pos: Position): CallArgument {
  return arg.kind !== 'part' && arg.type.kind === 'JSON' ? coerce(arg, FLOAT64, pos) : arg;
}

function resolveModifiers(fn: CatalogueEntry, node: FunctionCall, context: ExpressionContext): CallModifiers {
  const allowed: readonly string[] = fn.modifiers ?? [];
  const refuse = (word: string, kind: string, isUsed: boolean): void => {
    if (isUsed && !allowed.includes(kind))
      throw sqlError('sql.type', `${fn.name.toUpperCase()} does not accept ${word}`, node.pos);
  };
  refuse('DISTINCT', 'distinct', node.isDistinct);
  refuse('IGNORE or RESPECT NULLS', 'nulls', node.nulls !== undefined);
  refuse('ORDER BY', 'order_by', node.orderBy.length > 0);
  refuse('LIMIT', 'limit', node.limit !== undefined);
  return {
    distinct: node.isDistinct,
    nulls: node.nulls ?? null,
    orderBy: node.orderBy.map((item) => resolveOrdering(item, context.resolveExpr(item.expression, context))),
    limit: node.limit === undefined ? null : literalCount(node.limit),
  };
}

function literalCount(node: Expression): number {
  if (node.kind === 'IntegerLiteral' && node.value <= 1_000_000n) return Number(node.value);
  throw sqlError('sql.type', 'LIMIT inside an aggregate must be an integer of at most 1,000,000', node.pos);
}

function resolveWindowed(fn: CatalogueEntry, node: FunctionCall, context: ExpressionContext): Expr {
  if (context.windows === null) {
    throw sqlError(
      'sql.type',
      `The window function ${fn.name.toUpperCase()} is not allowed in ${context.clause}`,
      node.pos,
      {
        token: fn.name,
      },
    );
  }
  if (fn.kind === 'aggregate' && fn.windowable === false) {
    throw sqlError('sql.type', `${fn.name.toUpperCase()} does not accept OVER`, node.pos);
  }
  if (node.orderBy.length > 0 || node.limit !== undefined) {
    const sentence = `${fn.name.toUpperCase()} with OVER does not accept ORDER BY or LIMIT among its arguments`;
    throw sqlError('sql.type', sentence, node.pos, { token: fn.name });
  }
  // Arguments and window may contain aggregates of a grouped query, but not another window function.
  const inner: ExpressionContext = {
    ...context,
    scope: withoutAliasesOf('windows', context),
    windows: null,
    clause: `a window of ${fn.name.toUpperCase()}`,
  };
  const { args, type, modifiers } = aggregateParts(fn, node, inner);
  const window = resolveWindow(node.over, inner);
  checkWindow(fn.name, node.isDistinct, window, node.pos);
  const column = context.session.newColumn(fn.name, type);
  context.windows.push({ column, fn: fn.name, args, modifiers, pos: node.pos, ...window });
  return { kind: 'column', type, column };
}
