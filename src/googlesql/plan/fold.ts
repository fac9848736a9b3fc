import type { ParameterValues, ScalarValue } from '../resolve/parameterValue.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type {
  CallArgument,
  CallExpr,
  Expr,
  LiteralExpr,
  LiteralValue,
  NowExpr,
  ParameterExpr,
  Relation,
} from '../resolve/tree.ts';
import { BOOL, type SqlType, TIMESTAMP } from '../types.ts';
import { ConstantColumns, isOneRow } from './constantColumns.ts';
import { atNow, foldArithmetic } from './foldArithmetic.ts';
import { type LateBoundTimes, timesAmong } from './lateBoundTimes.ts';

/** Replaces a parameter or the clock with a value. */
type Bind = (expr: ParameterExpr | NowExpr) => Expr;

/**
 * Binds parameters and `now`, and folds constants: comparisons, three-valued logic, CASE, and arithmetic of integers and
 * times (`foldArithmetic.ts`). A constant column is replaced with its constant, through tables and subqueries, so that a
 * time bound from a WITH table of constants reaches the scan. Everything else stays, and the engine computes it.
 */
export function foldConstants(
  relation: Relation,
  parameters: ParameterValues,
  nowMicros: number,
): { relation: Relation; resolve: (expr: Expr) => Expr } {
  return foldBound(relation, (expr) =>
    expr.kind === 'now' ? literal(TIMESTAMP, BigInt(nowMicros)) : boundParameter(expr, parameters),
  );
}

/**
 * The same with late-bound times: the parameters with an index in `moving`, and the clock if it is there (its name is null).
 * `times` records each decision that depends on their values.
 */
export function foldLateBound(
  relation: Relation,
  parameters: ParameterValues,
  times: LateBoundTimes,
  moving: ReadonlyMap<string | null, number>,
): { relation: Relation; resolve: (expr: Expr) => Expr } {
  return foldBound(relation, (expr) => {
    const index = moving.get(expr.kind === 'now' ? null : expr.name);
    if (index !== undefined) return times.literal(expr.type, index);
    // The clock, in a query whose plan does not depend on it.
    return expr.kind === 'now' ? expr : boundParameter(expr, parameters);
  });
}

/** The same without binding parameters: a column that holds a parameter is replaced with that parameter. */
export const foldUnbound = (relation: Relation): Relation => foldBound(relation, (expr) => expr).relation;

/** Folds AND, OR, NOT or CASE, whose operands are folded; any other expression stays. */
export function foldLogic(expr: Expr): Expr {
  if (expr.kind === 'case') return foldCase(expr);
  if (expr.kind !== 'call' || !['$and', '$or', '$not'].includes(expr.fn)) return expr;
  return folded(expr, expr.args, () => foldCall(expr));
}

function foldBound(relation: Relation, bind: Bind): { relation: Relation; resolve: (expr: Expr) => Expr } {
  const constants = new ConstantColumns();
  const noConstants = new ConstantColumns();
  const mapper: Mapper = {
    relation: (below) => {
      const folded = mapRelation(below, below.kind === 'aggregate' && below.rollup ? ofRollup : mapper);
      constants.note(folded);
      return folded;
    },
    expr: (expr) => foldExpr(expr, mapper, bind, constants),
  };
  // Two equal keys of ROLLUP stay separate: one may be NULL without the other.
  const ofRollup: Mapper = {
    relation: mapper.relation,
    expr: (expr) => foldExpr(expr, ofRollup, bind, noConstants),
  };
  return { relation: mapper.relation(relation), resolve: mapper.expr };
}

function foldExpr(expr: Expr, mapper: Mapper, bind: Bind, constants: ConstantColumns): Expr {
  switch (expr.kind) {
    case 'parameter':
    case 'now':
      return bind(expr);
    case 'column':
      return constants.of(expr.column) ?? expr;
    case 'subquery': {
      const mapped = mapExpr(expr, mapper);
      if (mapped.kind !== 'subquery' || mapped.mode !== 'scalar' || mapped.column === null) return mapped;
      return (isOneRow(mapped.query) ? constants.of(mapped.column) : undefined) ?? mapped;
    }
    case 'structField': {
      const mapped = mapExpr(expr, mapper);
      const { value, index } = mapped as typeof expr;
      return (value.kind === 'struct' ? value.values[index] : undefined) ?? mapped;
    }
    case 'case':
      return foldCase(mapExpr(expr, mapper));
    case 'cast': {
      const mapped = mapExpr(expr, mapper);
      return mapped.kind === 'cast' ? folded(mapped, [mapped.value], () => foldArithmetic(mapped)) : mapped;
    }
    case 'call': {
      const mapped = mapExpr(expr, mapper);
      if (mapped.kind !== 'call') return mapped;
      const call = atNow(mapped, () => bind({ kind: 'now', type: TIMESTAMP })) ?? mapped;
      return folded(call, call.args, () => foldCall(call));
    }
    default:
      return mapExpr(expr, mapper);
  }
}

/** Folds an expression; late-bound operands record the decision. */
function folded(expr: Expr, operands: readonly CallArgument[], fold: () => Expr): Expr {
  const times = timesAmong(operands);
  return times === null ? fold() : times.fold(expr, fold);
}

const literal = (type: SqlType, value: LiteralValue): LiteralExpr => ({ kind: 'literal', type, value });

function boundParameter(expr: ParameterExpr, parameters: ParameterValues): Expr {
  const { type } = expr;
  const value = parameters.get(expr.name);
  if (value === undefined || value.kind === 'null') return literal(type, null);
  if (value.kind !== 'array') return literal(type, scalarLiteral(value));
  if (type.kind !== 'ARRAY') throw new Error(`the parameter ${expr.name} is bound to an array, and is a ${type.kind}`);
  const { element } = type;
  return { kind: 'array', type, elements: value.elements.map((each) => literal(element, scalarLiteral(each))) };
}

function scalarLiteral(value: ScalarValue): LiteralValue {
  switch (value.kind) {
    case 'timestamp':
      return BigInt(value.micros);
    case 'date':
      return BigInt(value.days);
    default:
      return value.value;
  }
}

function foldCase(expr: Expr): Expr {
  if (expr.kind !== 'case') return expr;
  const branches = [];
  for (const branch of expr.branches) {
    if (branch.when.kind === 'literal') {
      if (branch.when.value !== true) continue;
      if (branches.length === 0) return branch.value;
      return { ...expr, branches, otherwise: branch.value };
    }
    branches.push(branch);
  }
  if (branches.length === 0) return expr.otherwise ?? literal(expr.type, null);
  return { ...expr, branches };
}

function foldCall(expr: CallExpr): Expr {
  switch (expr.fn) {
    case '$and':
      return foldConnective(expr, false);
    case '$or':
      return foldConnective(expr, true);
    case '$not': {
      const value = literalOf(expr, 0);
      if (value === undefined) return expr;
      return literal(BOOL, value === null ? null : value !== true);
    }
    case '$is_null': {
      if (expr.args[0]?.kind === 'array') return literal(BOOL, false);
      const value = literalOf(expr, 0);
      return value === undefined ? expr : literal(BOOL, value === null);
    }
    case '$eq':
    case '$ne':
    case '$lt':
    case '$le':
    case '$gt':
    case '$ge':
      return foldComparison(expr);
    case '$in':
      return foldIn(expr);
    case 'if':
      return foldIf(expr);
    case 'coalesce':
    case 'ifnull':
      return foldCoalesce(expr);
    default:
      return foldArithmetic(expr);
  }
}

/** The value of a literal argument, or undefined if it is not a literal. */
function literalOf(call: CallExpr, index: number): LiteralValue | undefined {
  const arg = call.args[index];
  return arg?.kind === 'literal' ? arg.value : undefined;
}

/** Folds AND and OR. `absorbing` is the value that decides the result alone. */
function foldConnective(expr: CallExpr, absorbing: boolean): Expr {
  const rest: Expr[] = [];
  for (const arg of expr.args) {
    if (arg.kind === 'part') return expr;
    if (arg.kind === 'literal' && arg.value === absorbing) return arg;
    if (arg.kind === 'literal' && arg.value === !absorbing) continue;
    rest.push(arg);
  }
  const [only] = rest;
  if (only === undefined) return literal(BOOL, !absorbing);
  if (rest.length === 1) return only;
  return { ...expr, args: rest };
}

function foldComparison(expr: CallExpr): Expr {
  const left = literalOf(expr, 0);
  const right = literalOf(expr, 1);
  if (left === null || right === null) return literal(BOOL, null);
  if (left === undefined || right === undefined || typeof left !== typeof right) return expr;
  if (left instanceof Uint8Array || right instanceof Uint8Array) return expr;
  // Only equality of strings: JavaScript orders them differently from the dialect.
  if (typeof left === 'string' && expr.fn !== '$eq' && expr.fn !== '$ne') return expr;
  if (expr.args[0]?.kind === 'literal' && expr.args[0].type.kind === 'JSON') return expr;
  switch (expr.fn) {
    case '$eq':
      return literal(BOOL, left === right);
    case '$ne':
      return literal(BOOL, left !== right);
    case '$lt':
      return literal(BOOL, left < right);
    case '$le':
      return literal(BOOL, left <= right);
    case '$gt':
      return literal(BOOL, left > right);
    default:
      return literal(BOOL, left >= right);
  }
}

/** Folds IN over literals: decided if a candidate is equal, or if all are known and none is equal. */
function foldIn(expr: CallExpr): Expr {
  const value = literalOf(expr, 0);
  if (value === null) return literal(BOOL, null);
  if (typeof value !== 'string' && typeof value !== 'bigint') return expr;
  if (expr.args[0]?.kind === 'literal' && expr.args[0].type.kind === 'JSON') return expr;
  const candidates = expr.args.slice(1).map((arg) => (arg.kind === 'literal' ? arg.value : undefined));
  if (candidates.includes(value)) return literal(BOOL, true);
  if (candidates.includes(undefined)) return expr;
  return literal(BOOL, candidates.includes(null) ? null : false);
}

function foldIf(expr: CallExpr): Expr {
  const condition = literalOf(expr, 0);
  const chosen = condition === undefined ? undefined : expr.args[condition === true ? 1 : 2];
  return chosen === undefined || chosen.kind === 'part' ? expr : chosen;
}

function foldCoalesce(expr: CallExpr): Expr {
  const rest = expr.args.filter((arg) => !(arg.kind === 'literal' && arg.value === null));
  const [first] = rest;
  if (first === undefined) return literal(expr.type, null);
  if (first.kind === 'literal' || (rest.length === 1 && first.kind !== 'part')) return first as Expr;
  return expr;
}
