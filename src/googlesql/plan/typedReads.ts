import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type {
  AggregateCall,
  CallArgument,
  CallExpr,
  CastExpr,
  Column,
  ColumnExpr,
  Computed,
  Expr,
  PathReadExpr,
  Relation,
  SortKey,
} from '../resolve/tree.ts';
import { INT64, type ScalarTypeName } from '../types.ts';
import { castOfCall, castOfTyped } from './typedCasts.ts';

/**
 * Reads a typed column as the wanted type: the column itself, or a path read with the column as its base. Only in the
 * attached tree may a path read have a base that is not JSON.
 */
export function readTyped(column: ColumnExpr, wanted: ScalarTypeName): Expr {
  if (column.type.kind === wanted) return column;
  return { kind: 'pathRead', type: { kind: wanted }, base: column, path: [], wanted };
}

/** A path read that converts a typed column. */
type TypedRead = PathReadExpr & { readonly base: ColumnExpr };

const isTypedRead = (expr: CallArgument): expr is TypedRead =>
  expr.kind === 'pathRead' && expr.path.length === 0 && expr.base.kind === 'column' && expr.base.type.kind !== 'JSON';

/** The typed column that a JSON value comes from, or null. Two values of the column are equal if and only if their JSON is. */
export const typedJson = (expr: CallArgument): ColumnExpr | null =>
  isTypedRead(expr) && expr.wanted === 'JSON' ? expr.base : null;

export interface DelayedConversions {
  readonly relation: Relation;
  /** Rewrites an expression over the original columns to the columns of the rewritten relation. */
  resolve(expr: Expr): Expr;
}

/**
 * Delays the conversion of typed columns to JSON. Rows are grouped, sorted, compared, counted and cast by the typed values,
 * and only values in the answer are converted. The engine can decide a filter that compares a typed column with a literal of
 * its type from its column statistics.
 */
export function delayConversions(
  root: Relation,
  newColumn: (name: string, type: Column['type']) => Column,
): DelayedConversions {
  /** Removed columns, and the expressions that replace them. */
  const instead = new Map<Column, Expr>();
  const expr = (below: Expr): Expr => {
    if (below.kind === 'column') return instead.get(below.column) ?? below;
    if (below.kind === 'subquery') return { ...below, query: mapper(true).relation(below.query) };
    if (below.kind === 'inSubquery')
      return { ...below, value: expr(below.value), query: mapper(true).relation(below.query) };
    const mapped = mapExpr(below, mapper(true));
    if (mapped.kind === 'call') return call(mapped);
    if (mapped.kind === 'cast') return cast(mapped);
    const base = mapped.kind === 'pathRead' && mapped.path.length === 0 ? typedJson(mapped.base) : null;
    return mapped.kind === 'pathRead' && base !== null ? readTyped(base, mapped.wanted) : mapped;
  };
  /** An item whose conversion is delayed. */
  const delayed = (item: Computed): Computed => {
    const typed = typedJson(item.expr);
    if (typed === null) return item;
    const column = newColumn(item.column.name, typed.type);
    instead.set(item.column, readTyped({ kind: 'column', type: column.type, column }, 'JSON'));
    return { column, expr: typed };
  };
  /** MIN, MAX and ANY_VALUE return one of the values, so its conversion is delayed. */
  const picked = (call: AggregateCall): AggregateCall => {
    const [value] = call.args;
    // GROUPING repeats a key, which is grouped by its typed value.
    if (call.fn === 'grouping') return { ...call, args: call.args.map((arg) => typedJson(arg) ?? arg) };
    const typed = value === undefined || !picking.has(call.fn) ? null : typedJson(value);
    if (typed === null) return call;
    const column = newColumn(call.column.name, typed.type);
    instead.set(call.column, readTyped({ kind: 'column', type: column.type, column }, 'JSON'));
    return { ...call, column, args: [typed] };
  };
  /** `keepsColumns`: whether the relation's columns must stay, because something above refers to them directly. */
  const mapper = (keepsColumns: boolean): Mapper => ({
    expr,
    relation: (relation) => {
      switch (relation.kind) {
        case 'project': {
          const mapped = mapRelation(relation, mapper(false)) as typeof relation;
          return keepsColumns ? mapped : { ...mapped, items: mapped.items.map(delayed) };
        }
        case 'aggregate': {
          const mapped = mapRelation(relation, mapper(false)) as typeof relation;
          const aggregates = mapped.aggregates.map(counted);
          if (keepsColumns) return { ...mapped, aggregates };
          return { ...mapped, aggregates: aggregates.map(picked), keys: mapped.keys.map(delayed) };
        }
        case 'sort': {
          const mapped = mapRelation(relation, mapper(keepsColumns)) as typeof relation;
          return { ...mapped, keys: mapped.keys.map(sortedByValue) };
        }
        case 'window': {
          const mapped = mapRelation(relation, mapper(keepsColumns)) as typeof relation;
          const calls = mapped.calls.map((at) => ({
            ...counted(at),
            partitionBy: at.partitionBy.map((by) => typedJson(by) ?? by),
            orderBy: at.orderBy.map(sortedByValue),
          }));
          return { ...mapped, calls };
        }
        case 'setOperation':
        case 'with':
          return mapRelation(relation, mapper(true));
        default:
          return mapRelation(relation, mapper(keepsColumns));
      }
    },
  });
  return { relation: mapper(false).relation(root), resolve: expr };
}

/** JSON values from one typed column sort like its values. */
const sortedByValue = (key: SortKey): SortKey => ({ ...key, expr: typedJson(key.expr) ?? key.expr });

/** COUNT depends only on which values are NULL, and which are distinct. */
function counted<C extends AggregateCall>(call: C): C {
  if (call.fn !== 'count') return call;
  return { ...call, args: call.args.map((arg) => typedJson(arg) ?? arg) };
}

const picking: ReadonlySet<string> = new Set(['min', 'max', 'any_value']);

const comparisons: ReadonlySet<string> = new Set(['$eq', '$ne', '$lt', '$le', '$gt', '$ge', '$between', '$in']);

/** Casts a value of a typed column directly, if possible. */
function cast(expr: CastExpr): Expr {
  const column = typedJson(expr.value);
  return (column === null ? null : castOfTyped(expr, column, readTyped)) ?? expr;
}

function call(expr: CallExpr): Expr {
  const [read] = expr.args.slice(0, 1).map(typedJson);
  const asCast = read === undefined || read === null ? null : castOfCall(expr, read);
  if (asCast !== null) return cast(asCast);
  if (expr.fn === '$is_null') return { ...expr, args: expr.args.map((arg) => typedJson(arg) ?? arg) };
  if (!comparisons.has(expr.fn)) return expr;
  const typed = expr.args.map(typedJson);
  const [first] = typed;
  if (first !== null && first !== undefined && typed.every((column) => column?.type.kind === first.type.kind)) {
    return { ...expr, args: typed.map((column, i) => column ?? expr.args[i] ?? column) as readonly Expr[] };
  }
  const whole = expr.args.map(asWhole);
  const columns = expr.args.filter(isTypedRead);
  return whole.every((arg) => arg !== null) && columns.length === 1 ? { ...expr, args: whole } : expr;
}

/** Beyond it, different integers may be the same FLOAT64. */
const exactMax = Number.MAX_SAFE_INTEGER;

/**
 * A FLOAT64 operand as INT64, if the comparison stays the same: an INT64 column, or an integer literal that no other integer
 * equals as FLOAT64. Otherwise null.
 */
function asWhole(arg: CallArgument): Expr | null {
  if (isTypedRead(arg) && arg.wanted === 'FLOAT64' && arg.base.type.kind === 'INT64') return arg.base;
  if (arg.kind !== 'literal' || arg.type.kind !== 'FLOAT64') return null;
  if (arg.value === null) return { ...arg, type: INT64 };
  if (typeof arg.value !== 'number' || !Number.isInteger(arg.value) || Math.abs(arg.value) > exactMax) return null;
  return { kind: 'literal', type: INT64, value: BigInt(arg.value) };
}
