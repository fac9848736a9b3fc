import { allOf, testedForNull } from '../../../googlesql/plan/impliedConditions.ts';
import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { holdsVolatile } from '../../../googlesql/resolve/holdsVolatile.ts';
import { type Mapper, mapExpr, mapRelation, outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type {
  CallArgument,
  CallExpr,
  Column,
  Computed,
  Expr,
  FilterRelation,
  JoinRelation,
  Relation,
} from '../../../googlesql/resolve/tree.ts';
import { BOOL } from '../../../googlesql/types.ts';

/**
 * Replaces joins with constant tables by what they mean, because ClickHouse computes the rest of such a query whole:
 *
 * - an outer join with an empty table gives the rows of the other side;
 * - a join with GENERATE_TIMESTAMP_ARRAY that keeps only matched rows is a condition on the key, since no time is there twice.
 *
 * Call it within `plan.at`.
 */
export function withoutConstantJoins(relation: Relation): Relation {
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      if (mapped.kind === 'join') return withoutEmptySide(mapped);
      return mapped.kind === 'filter' ? (filteredTimes(mapped) ?? mapped) : mapped;
    },
  };
  return mapper.relation(relation);
}

const columnOf = (column: Column): Expr => ({ kind: 'column', type: column.type, column });
const passed = (relation: Relation): readonly Computed[] =>
  outputColumns(relation).map((column) => ({ column, expr: columnOf(column) }));

/** An outer join of which one side is empty: the rows of the other side, with NULL for its columns. */
function withoutEmptySide(join: JoinRelation): Relation {
  const { type, left, right } = join;
  const [kept, empty] =
    isEmpty(right) && (type === 'left' || type === 'full')
      ? [left, right]
      : isEmpty(left) && (type === 'right' || type === 'full')
        ? [right, left]
        : [null, null];
  if (kept === null) return join;
  const nulls = outputColumns(empty).map(
    (column): Computed => ({ column, expr: { kind: 'literal', type: column.type, value: null } }),
  );
  return { kind: 'project', input: kept, items: [...passed(kept), ...nulls] };
}

function isEmpty(relation: Relation): boolean {
  switch (relation.kind) {
    case 'unnestArray':
      return !relation.left && relation.value.kind === 'array' && relation.value.elements.length === 0;
    case 'project':
    case 'filter':
    case 'sort':
    case 'limit':
    case 'distinct':
      return isEmpty(relation.input);
    default:
      return false;
  }
}

/** Times at equal distances, each a multiple of it. */
interface Times {
  readonly element: Column;
  /** The other columns of the table, each with its constant value. */
  readonly others: readonly Computed[];
  readonly first: Expr;
  readonly last: Expr;
  readonly part: string;
}

/** A filter of a join with times that leaves out every row without a match; null for any other. */
function filteredTimes(filter: FilterRelation): Relation | null {
  const { input: join } = filter;
  if (join.kind !== 'join') return null;
  const ofRight = join.type === 'left' || join.type === 'inner' ? timesOf(join.left) : null;
  if (ofRight !== null) return matched(filter, join, join.right, ofRight);
  const ofLeft = join.type === 'right' || join.type === 'inner' ? timesOf(join.right) : null;
  return ofLeft === null ? null : matched(filter, join, join.left, ofLeft);
}

function matched(
  filter: FilterRelation,
  join: JoinRelation,
  rows: Relation,
  { element, others, first, last, part }: Times,
): Relation | null {
  const key = join.on === null ? null : keyOf(join.on, element, outputColumns(rows));
  if (key === null || holdsSubquery(filter.condition)) return null;
  const conjuncts = conjunctsOf(filter.condition);
  const demanded = conjuncts.flatMap((each) => testedForNull(each) ?? []);
  if (join.type !== 'inner' && !outputColumns(rows).some((column) => demanded.includes(column))) return null;
  const instead = new Map(
    [...others, { column: element, expr: columnOf(key) }].map((each) => [each.column, each.expr]),
  );
  const inPlace: Mapper = {
    relation: (below) => below,
    expr: (expr) => (expr.kind === 'column' ? (instead.get(expr.column) ?? expr) : mapExpr(expr, inPlace)),
  };
  const truncated = call('timestamp_trunc', key.type, [columnOf(key), { kind: 'part', part }], join);
  const condition = allOf([
    call('$ge', BOOL, [columnOf(key), first], join),
    call('$le', BOOL, [columnOf(key), last], join),
    ...(isTruncated(rows, key, part) ? [] : [call('$eq', BOOL, [truncated, columnOf(key)], join)]),
    // A key that is NULL is not in the range.
    ...conjuncts.filter((each) => testedForNull(each) !== key).map((each) => inPlace.expr(each)),
  ]);
  const items = [...instead].map(([column, expr]): Computed => ({ column, expr }));
  return {
    kind: 'project',
    input: { kind: 'filter', input: rows, condition },
    items: [...passed(rows), ...items],
  };
}

const call = (fn: CallExpr['fn'], type: CallExpr['type'], args: CallExpr['args'], { pos }: JoinRelation): CallExpr => ({
  kind: 'call',
  type,
  fn,
  args,
  safe: false,
  pos,
});

/** Whether a column of groups is a time truncated in this way. */
function isTruncated(rows: Relation, key: Column, part: string): boolean {
  const expr = rows.kind === 'aggregate' ? rows.keys.find(({ column }) => column === key)?.expr : undefined;
  if (expr?.kind !== 'call' || expr.fn !== 'timestamp_trunc' || expr.args.length !== 2) return false;
  const [, unit] = expr.args;
  return unit?.kind === 'part' && unit.part === part;
}

/** The column that equals the times, if the condition is this equality alone. */
function keyOf(on: Expr, element: Column, columns: readonly Column[]): Column | null {
  if (on.kind !== 'call' || on.fn !== '$eq') return null;
  const [a, b] = on.args;
  const isElement = (arg: CallArgument | undefined) => arg?.kind === 'column' && arg.column === element;
  const other = isElement(a) ? b : isElement(b) ? a : undefined;
  return other?.kind === 'column' && columns.includes(other.column) ? other.column : null;
}

/** The table of GENERATE_TIMESTAMP_ARRAY with constants, if its times can be told without listing them. */
function timesOf(relation: Relation): Times | null {
  if (relation.kind !== 'unnestArray' || relation.left || relation.on !== null || relation.offset !== null) return null;
  const { element, input } = relation;
  const isOneRow = input.kind === 'oneRow' || (input.kind === 'project' && input.input.kind === 'oneRow');
  const value =
    relation.value.kind === 'column' && input.kind === 'project'
      ? input.items.find(({ column }) => relation.value.kind === 'column' && column === relation.value.column)?.expr
      : relation.value;
  if (!isOneRow || value?.kind !== 'call' || value.fn !== 'generate_timestamp_array') return null;
  // It is computed once for all times.
  if (input.kind === 'project' && input.items.some(({ expr }) => holdsVolatile(expr))) return null;
  const [first, last, interval] = value.args;
  if (first?.kind !== 'literal' || last?.kind !== 'literal' || interval?.kind !== 'call') return null;
  const [count, unit] = interval.args;
  if (count?.kind !== 'literal' || count.value !== 1n || unit?.kind !== 'part') return null;
  const step = stepMicros[unit.part];
  if (typeof first.value !== 'bigint' || typeof last.value !== 'bigint' || step === undefined) return null;
  // More elements than an array may have are an error of the query.
  if (first.value % step !== 0n || last.value - first.value > step * timesMax) return null;
  return { element, others: input.kind === 'project' ? input.items : [], first, last, part: unit.part };
}

const timesMax = 10_000n;

const stepMicros: Readonly<Partial<Record<string, bigint>>> = {
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 86_400_000_000n,
};
