import { atOnce } from '../../../core/concurrency/turns.ts';
import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { readsOutside } from '../../../googlesql/resolve/readsOutside.ts';
import { outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type { CallArgument, CallExpr, Column, Expr, JoinRelation, Relation } from '../../../googlesql/resolve/tree.ts';
import { type Block, Emission } from './emission.ts';
import { guardedInSteps, isHarmless } from './guarded.ts';
import { duckType } from './literal.ts';
import { type Item, selectText } from './selectText.ts';
import { apart, closed, passing, subselect } from './subselect.ts';

const joinWords = { inner: 'JOIN', left: 'LEFT JOIN', right: 'RIGHT JOIN', full: 'FULL JOIN' } as const;

/** Writes a join; afterwards, `emission.name` knows the columns of both sides. */
export function* joinInSteps(join: JoinRelation, emission: Emission): Generator<undefined, Block> {
  const block = yield* writeJoin(join, emission);
  emission.setJoined(outputColumns(join, (scan) => emission.scanColumns(scan)));
  return block;
}

function* writeJoin(join: JoinRelation, emission: Emission): Generator<undefined, Block> {
  const { type } = join;
  const on = join.on === null ? [] : conjunctsOf(join.on);
  const isTaken = join.on === null || canTake(join, join.on, emission);
  if (type === 'left' && !isTaken) return emitLateral(join.left, join.right, on, emission);
  if (type === 'right' && !isTaken) return emitLateral(join.right, join.left, on, emission);
  if (!isTaken) return emitFullInTwoParts(join, on, emission);
  // Conditions that can fail stay above those of a side (subselect.ts).
  const mayFail = on.some((condition) => !isHarmless(condition, emission));
  const isLeftKept = type === 'inner' || type === 'left';
  const left = withKeys(join.left, yield* sideInSteps(join.left, isLeftKept, mayFail, emission), on, emission);
  const isRightKept = type === 'inner' || type === 'right';
  const right = withKeys(join.right, yield* sideInSteps(join.right, isRightKept, mayFail, emission), left.on, emission);
  const where = [...left.block.where, ...right.block.where];
  const rightItem = right.block.isJoined === true ? `(${right.block.from})` : right.block.from;
  if (join.on === null && type === 'inner') {
    return { from: `${left.block.from} CROSS JOIN ${rightItem}`, where, isJoined: true };
  }
  const condition = join.on === null ? 'TRUE' : (yield* allOf(right.on, emission)).join(' AND ');
  return { from: `${left.block.from} ${joinWords[type]} ${rightItem} ON (${condition})`, where, isJoined: true };
}

/**
 * Equal nested values can have different texts (comparisons.ts), so the engine cannot treat this as a plain equality.
 */
const isNestedEquality = (condition: Expr): condition is CallExpr =>
  condition.kind === 'call' &&
  condition.fn === '$eq' &&
  condition.args.every((arg) => arg.kind !== 'part' && arg.type.kind === 'JSON');

/** A block, and conditions on its columns. */
interface KeyedBlock {
  readonly block: Block;
  readonly on: readonly Expr[];
}

/**
 * Adds the nested values that ON compares as columns of one side of a join. They are then read once per row instead of
 * once per pair, and in an inner join the engine can use a hash table.
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

/** Whether an expression is one of these columns or a member of one, and so never fails. */
function isMemberOf(expr: Expr, columns: ReadonlySet<Column>): boolean {
  if (expr.kind === 'pathRead') return isMemberOf(expr.base, columns);
  return expr.kind === 'column' && columns.has(expr.column);
}

/**
 * Whether the engine supports the join as it is. It supports no outer join whose ON holds a subquery or, inside a
 * correlated subquery, reads an outer column; and no FULL JOIN in a correlated subquery.
 */
function canTake(join: JoinRelation, on: Expr, emission: Emission): boolean {
  if (join.type === 'inner') return true;
  if (holdsSubquery(on)) return false;
  if (!emission.isCorrelated) return true;
  return join.type !== 'full' && !readsOutside(join, (scan) => emission.scanColumns(scan));
}

/** The conditions of ON, each in parentheses. */
function* allOf(on: readonly Expr[], emission: Emission): Generator<undefined, readonly string[]> {
  const texts: string[] = [];
  for (const condition of on) texts.push(`(${yield* guardedInSteps(condition, emission)})`);
  return texts;
}

/** Writes one side. Its conditions may move above the join only if every row of the side is kept. */
function* sideInSteps(
  side: Relation,
  isKept: boolean,
  mayFail: boolean,
  emission: Emission,
): Generator<undefined, Block> {
  const block = yield* emission.relationInSteps(side);
  if (block.from === '' || (!isKept && block.where.length > 0)) return closed(side, block, emission);
  return mayFail ? apart(side, block, emission) : block;
}

/** Writes an outer join that the engine does not support as a lateral join with the rows that ON selects. */
function emitLateral(kept: Relation, other: Relation, on: readonly Expr[], emission: Emission): Block {
  const left = closed(kept, emission.relation(kept), emission);
  const chosen = matching(other, on, emission);
  const alias = emission.newAlias();
  for (const { column } of chosen.items) emission.setName(column, `${alias}.${Emission.columnAlias(column)}`);
  return { from: `${left.from} LEFT JOIN LATERAL (${chosen.text}) AS ${alias} ON TRUE`, where: [], isJoined: true };
}

/** The rows of a side that meet ON together with a row that is already in scope. */
function matching(side: Relation, on: readonly Expr[], emission: Emission) {
  const block = emission.inSubquery(true, () => emission.relation(side));
  const items = passing(side, emission);
  const text = selectText({ ...block, where: [...block.where, ...atOnce(allOf(on, emission))] }, items, '');
  return { items, text };
}

/**
 * Writes a FULL JOIN that the engine does not support: the left join, followed by the rows of the right side that match
 * no row of the left.
 */
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
