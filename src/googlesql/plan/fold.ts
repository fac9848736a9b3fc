import { daysOfDate } from '../../core/instantText.ts';
import { weekStartOf } from '../functions/dateParts.ts';
import type { ParameterValue, ParameterValues } from '../resolve/parameterValue.ts';
import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { CallExpr, Expr, LiteralExpr, LiteralValue, Relation } from '../resolve/tree.ts';
import { BOOL, type SqlType, TIMESTAMP } from '../types.ts';
import { ConstantColumns, isOneRow } from './constantColumns.ts';

/**
 * Binds parameters and `now`, and computes what is constant then: comparisons, three-valued logic,
 * CASE, and the timestamp arithmetic that windows are written with. A column that is a constant is that
 * constant to whatever reads it, through tables and subqueries, so that a bound of time from a WITH table of
 * constants stands at the scan. What it does not know it leaves; the engine computes the same.
 */
export function foldConstants(
  relation: Relation,
  parameters: ParameterValues,
  nowMicros: number,
): { relation: Relation; resolve: (expr: Expr) => Expr } {
  const constants = new ConstantColumns();
  const noConstants = new ConstantColumns();
  const mapper: Mapper = {
    relation: (below) => {
      const folded = mapRelation(below, below.kind === 'aggregate' && below.rollup ? ofRollup : mapper);
      constants.note(folded);
      return folded;
    },
    expr: (expr) => foldExpr(expr, mapper, parameters, nowMicros, constants),
  };
  // Two keys of ROLLUP that hold the same are still two: one of them may be NULL without the other.
  const ofRollup: Mapper = {
    relation: mapper.relation,
    expr: (expr) => foldExpr(expr, ofRollup, parameters, nowMicros, noConstants),
  };
  return { relation: mapper.relation(relation), resolve: mapper.expr };
}

function foldExpr(
  expr: Expr,
  mapper: Mapper,
  parameters: ParameterValues,
  nowMicros: number,
  constants: ConstantColumns,
): Expr {
  switch (expr.kind) {
    case 'parameter':
      return literal(expr.type, parameterLiteral(parameters.get(expr.name)));
    case 'now':
      return literal(TIMESTAMP, BigInt(nowMicros));
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
    case 'call':
      return foldCall(mapExpr(expr, mapper));
    default:
      return mapExpr(expr, mapper);
  }
}

const literal = (type: SqlType, value: LiteralValue): LiteralExpr => ({ kind: 'literal', type, value });

function parameterLiteral(value: ParameterValue | undefined): LiteralValue {
  if (value === undefined) return null;
  switch (value.kind) {
    case 'null':
      return null;
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

const microsPerDay = 86_400_000_000n;

const microsByPart: Readonly<Record<string, bigint>> = {
  microsecond: 1n,
  millisecond: 1_000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: microsPerDay,
};

function foldCall(expr: Expr): Expr {
  if (expr.kind !== 'call') return expr;
  switch (expr.fn) {
    case '$and':
      return foldLogic(expr, false);
    case '$or':
      return foldLogic(expr, true);
    case '$not': {
      const value = literalOf(expr, 0);
      if (value === undefined) return expr;
      return literal(BOOL, value === null ? null : value !== true);
    }
    case '$is_null': {
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
    case 'timestamp_add':
    case 'timestamp_sub':
      return foldTimestampArithmetic(expr);
    case 'timestamp_trunc':
      return foldTimestampTrunc(expr);
    default:
      return expr;
  }
}

/** The value of a literal argument, or undefined where the argument is no literal. */
function literalOf(call: CallExpr, index: number): LiteralValue | undefined {
  const arg = call.args[index];
  return arg?.kind === 'literal' ? arg.value : undefined;
}

/** AND and OR with any number of operands: `absorbing` is the value that decides alone. */
function foldLogic(expr: CallExpr, absorbing: boolean): Expr {
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
  // Only equality of text: the order of JavaScript strings is not the order of the dialect.
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

/** Membership among literals: decided when a candidate equals, or when all are known and none does. */
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

function foldTimestampArithmetic(expr: CallExpr): Expr {
  const at = literalOf(expr, 0);
  const interval = expr.args[1];
  if (typeof at !== 'bigint' || expr.type.kind !== 'TIMESTAMP') return expr;
  if (interval?.kind !== 'call' || interval.fn !== '$interval') return expr;
  const amount = literalOf(interval, 0);
  const part = interval.args[1];
  const micros = part?.kind === 'part' ? microsByPart[part.part] : undefined;
  if (typeof amount !== 'bigint' || micros === undefined) return expr;
  const moved = expr.fn === 'timestamp_add' ? at + amount * micros : at - amount * micros;
  return isInRange(moved) ? literal(TIMESTAMP, moved) : expr;
}

function foldTimestampTrunc(expr: CallExpr): Expr {
  const at = literalOf(expr, 0);
  const part = expr.args[1];
  if (typeof at !== 'bigint' || part?.kind !== 'part' || expr.args.length !== 2) return expr;
  if (expr.type.kind !== 'TIMESTAMP') return expr;
  const start = startOf(part.part, at);
  return start !== undefined && isInRange(start) ? literal(TIMESTAMP, start) : expr;
}

/** The start in UTC of the part that a time lies in; undefined for a part that is left to the engine. */
function startOf(part: string, at: bigint): bigint | undefined {
  const micros = microsByPart[part];
  if (micros !== undefined) return at - floorMod(at, micros);
  const days = (at - floorMod(at, microsPerDay)) / microsPerDay;
  const weekStart = weekStartOf(part);
  // 1970 began on a Thursday, the fourth day after Sunday.
  if (weekStart !== undefined) return (days - floorMod(days + 4n - BigInt(weekStart), 7n)) * microsPerDay;
  const date = new Date(Number(days) * 86_400_000);
  const month = firstMonths[part]?.(date.getUTCMonth());
  const first = month === undefined ? undefined : daysOfDate(date.getUTCFullYear(), month + 1, 1);
  return first === undefined ? undefined : BigInt(first) * microsPerDay;
}

/** The first month of a part, from 0, by a month in it. */
const firstMonths: Readonly<Record<string, (month: number) => number>> = {
  month: (month) => month,
  quarter: (month) => month - (month % 3),
  year: () => 0,
};

const floorMod = (value: bigint, divisor: bigint): bigint => ((value % divisor) + divisor) % divisor;

/** Years 1 to 9999, as GoogleSQL bounds TIMESTAMP. */
function isInRange(micros: bigint): boolean {
  return micros >= -62_135_596_800_000_000n && micros <= 253_402_300_799_999_999n;
}
