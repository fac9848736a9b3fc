import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { readsOutside } from '../../../googlesql/resolve/readsOutside.ts';
import { outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type { CallArgument, CallExpr, Column, Expr, JoinRelation, Relation } from '../../../googlesql/resolve/tree.ts';
import { type Block, Emission } from './emission.ts';
import { guarded } from './guarded.ts';
import { duckType } from './literal.ts';
import { type Item, selectText } from './selectText.ts';
import { closed, passing, subselect } from './subselect.ts';

const joinWords = { inner: 'JOIN', left: 'LEFT JOIN', right: 'RIGHT JOIN', full: 'FULL JOIN' } as const;

/** A join; `emission.name` knows the columns of both sides afterwards. */
export function emitJoin(join: JoinRelation, emission: Emission): Block {
  const { type } = join;
  const on = join.on === null ? [] : conjunctsOf(join.on);
  const isTaken = join.on === null || canTake(join, join.on, emission);
  if (type === 'left' && !isTaken) return emitLateral(join.left, join.right, on, emission);
  if (type === 'right' && !isTaken) return emitLateral(join.right, join.left, on, emission);
  if (!isTaken) return emitFullInTwoParts(join, on, emission);
  const left = withKeys(join.left, emitSide(join.left, type === 'inner' || type === 'left', emission), on, emission);
  const right = withKeys(
    join.right,
    emitSide(join.right, type === 'inner' || type === 'right', emission),
    left.on,
    emission,
  );
  const where = [...left.block.where, ...right.block.where];
  const rightItem = right.block.isJoined === true ? `(${right.block.from})` : right.block.from;
  if (join.on === null && type === 'inner') {
    return { from: `${left.block.from} CROSS JOIN ${rightItem}`, where, isJoined: true };
  }
  const condition = join.on === null ? 'TRUE' : allOf(right.on, emission).join(' AND ');
  return { from: `${left.block.from} ${joinWords[type]} ${rightItem} ON (${condition})`, where, isJoined: true };
}

/** Nested values have no one spelling in which they are equal (comparisons.ts), so this is more than an equality to the engine. */
const isNestedEquality = (condition: Expr): condition is CallExpr =>
  condition.kind === 'call' &&
  condition.fn === '$eq' &&
  condition.args.every((arg) => arg.kind !== 'part' && arg.type.kind === 'JSON');

/** A block, and conditions that are over its columns. */
interface KeyedBlock {
  readonly block: Block;
  readonly on: readonly Expr[];
}

/**
 * Hands up, as columns of one side of a join, the nested values of it that ON compares: they are read once
 * for each row and not for each pair, and in an inner join the engine can look up what is equal.
 */
function withKeys(side: Relation, block: Block, on: readonly Expr[], emission: Emission): KeyedBlock {
  const own = new Set(outputColumns(side, (scan) => emission.scanColumns(scan)));
  const keys: Item[] = [];
  const keyOf = (operand: CallArgument): CallArgument => {
    if (operand.kind === 'part' || !isMemberOf(operand, own)) return operand;
    const sql = emission.expr(operand);
    if (/^\w+\.\w+$/.test(sql)) return operand;
    const column = emission.newColumn('key', operand.type);
    keys.push({ column, sql });
    return { kind: 'column', type: operand.type, column };
  };
  const keyed = on.map((each) => (isNestedEquality(each) ? { ...each, args: each.args.map(keyOf) } : each));
  if (keys.length === 0) return { block, on };
  return { block: subselect(block, [...passing(side, emission), ...keys], '', emission), on: keyed };
}

/** Whether an expression is a column of these or a member of one: it fails on no row. */
function isMemberOf(expr: Expr, columns: ReadonlySet<Column>): boolean {
  if (expr.kind === 'pathRead') return isMemberOf(expr.base, columns);
  return expr.kind === 'column' && columns.has(expr.column);
}

/**
 * Whether the engine takes the join as it is. It has no outer join whose ON holds a subquery or, inside
 * a correlated subquery, reads a column from outside; nor any FULL JOIN there.
 */
function canTake(join: JoinRelation, on: Expr, emission: Emission): boolean {
  if (join.type === 'inner') return true;
  if (holdsSubquery(on)) return false;
  if (!emission.isCorrelated) return true;
  return join.type !== 'full' && !readsOutside(join, (scan) => emission.scanColumns(scan));
}

/** Each condition of ON in parentheses. */
function allOf(on: readonly Expr[], emission: Emission): readonly string[] {
  return on.map((condition) => `(${guarded(condition, emission)})`);
}

/** One side; its conditions may stand above the join only where every row of it is kept. */
function emitSide(side: Relation, isKept: boolean, emission: Emission): Block {
  const block = emission.relation(side);
  return block.from === '' || (!isKept && block.where.length > 0) ? closed(side, block, emission) : block;
}

/** An outer join that the engine does not take as it is: it takes a lateral one of the rows that ON chooses. */
function emitLateral(kept: Relation, other: Relation, on: readonly Expr[], emission: Emission): Block {
  const left = closed(kept, emission.relation(kept), emission);
  const chosen = matching(other, on, emission);
  const alias = emission.newAlias();
  for (const { column } of chosen.items) emission.setName(column, `${alias}.${Emission.columnAlias(column)}`);
  return { from: `${left.from} LEFT JOIN LATERAL (${chosen.text}) AS ${alias} ON TRUE`, where: [], isJoined: true };
}

/** The rows of a side that meet ON together with a row that is in scope already. */
function matching(side: Relation, on: readonly Expr[], emission: Emission) {
  const block = emission.inSubquery(true, () => emission.relation(side));
  const items = passing(side, emission);
  const text = selectText({ ...block, where: [...block.where, ...allOf(on, emission)] }, items, '');
  return { items, text };
}

/** FULL JOIN that the engine does not take as it is: the left join, and below it the rows of the right that no row of the left meets. */
function emitFullInTwoParts(join: JoinRelation, on: readonly Expr[], emission: Emission): Block {
  const columns = outputColumns(join, (scan) => emission.scanColumns(scan)).filter((c) => emission.used.has(c));
  const ofRight = new Set(outputColumns(join.right, (scan) => emission.scanColumns(scan)));
  const joined = emitLateral(join.left, join.right, on, emission);
  const first = columns.map((column) => ({ column, sql: emission.name(column) }));
  const upper = selectText(joined, first, '');
  const right = closed(join.right, emission.relation(join.right), emission);
  const second = columns.map((column) => ({
    column,
    sql: ofRight.has(column) ? emission.name(column) : `CAST(NULL AS ${duckType(column.type)})`,
  }));
  const { text } = matching(join.left, on, emission);
  const lower = selectText({ ...right, where: [...right.where, `NOT EXISTS (${text})`] }, second, '');
  const alias = emission.newAlias();
  for (const column of columns) emission.setName(column, `${alias}.${Emission.columnAlias(column)}`);
  return { from: `(${upper} UNION ALL ${lower}) AS ${alias}`, where: [] };
}
