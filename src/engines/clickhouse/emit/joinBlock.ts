import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import type { Column, Expr } from '../../../googlesql/resolve/tree.ts';
import { filtered, placeOf } from './block.ts';
import { type Block, type Join, type JoinSide, wholeBlock } from './blocks.ts';
import type { Cell } from './cells.ts';
import { columnsUsed } from './columnsUsed.ts';
import { cellAbove, isJoin, joinSide, outputOfSide, readsOnly } from './join.ts';
import { equalScalars, joinKeys, scalarKey } from './joinKeys.ts';
import { notPushed } from './notPushed.ts';
import { isUnion } from './union.ts';

/**
 * The rows of two scans, joined. `on` has at least one equality of values of both sides. Conditions on one side belong to
 * the SELECT of that side, and all others are conditions on joined rows.
 */
export function joined(leftBlock: Block, rightBlock: Block, on: Expr | null): Block {
  if (on === null) return notPushed('CROSS JOIN');
  let left = sideOf(leftBlock, 'in_l');
  let right = sideOf(rightBlock, 'in_r');
  const equalities: (readonly [Expr, Expr])[] = [];
  const others: Expr[] = [];
  for (const conjunct of conjunctsOf(on)) {
    const columns = columnsUsed(conjunct);
    const equality = equalityOf(conjunct, left, right);
    if (readsOnly(left, columns)) left = { ...left, block: filtered(left.block, conjunct) };
    else if (readsOnly(right, columns)) right = { ...right, block: filtered(right.block, conjunct) };
    else if (equality !== null) equalities.push(equality);
    else others.push(conjunct);
  }
  if (equalities.length === 0) return notPushed('JOIN without an equality of values of both tables');
  const places = [placeOf(left.block), placeOf(right.block)] as const;
  const pairs = equalities.map(([a, b]) => {
    const [ofA, ofB] = joinKeys(a, places[0], b, places[1]);
    return { ...{ ofA, ofB }, a: outputOfSide(left, ofA.sql), b: outputOfSide(right, ofB.sql) };
  });
  const keys = pairs.map(({ ofA, a, b }) =>
    ofA.isNested ? { left: scalarKey(a), right: scalarKey(b) } : { left: a, right: b },
  );
  const isOther = pairs.flatMap(({ ofA, ofB }) => [
    ...(ofA.isOther === null ? [] : [outputOfSide(left, ofA.isOther)]),
    ...(ofB.isOther === null ? [] : [outputOfSide(right, ofB.isOther)]),
  ]);
  const join: Join = { left, right, keys, others: isOther };
  const cells = new Map<Column, Cell>();
  for (const side of [left, right])
    for (const [column, cell] of side.block.cells) cells.set(column, cellAbove(cell, side));
  const where = pairs.flatMap(({ ofA, a, b }) =>
    ofA.isNested ? [{ sql: equalScalars(a, b), readsMembers: true }] : [],
  );
  const block: Block = { ...wholeBlock(join, cells), where };
  return others.reduce(filtered, block);
}

function sideOf(block: Block, alias: JoinSide['alias']): JoinSide {
  const { source, group, limit, unnested, sort } = block;
  if (isJoin(source)) return notPushed('JOIN of more than two tables');
  if (isUnion(source)) return notPushed('JOIN with UNION ALL');
  if (source.isRedacted) return notPushed('JOIN of redacted events');
  if (group !== null || limit !== null || sort.length > 0) return notPushed('JOIN of groups, or above LIMIT');
  if (unnested.length > 0) return notPushed('JOIN above UNNEST of a nested value');
  return joinSide(block, alias);
}

/** An equality of a value of each side, in this order. */
function equalityOf(condition: Expr, left: JoinSide, right: JoinSide): readonly [Expr, Expr] | null {
  if (condition.kind !== 'call' || condition.fn !== '$eq') return null;
  const [a, b] = condition.args;
  if (a === undefined || b === undefined || a.kind === 'part' || b.kind === 'part') return null;
  const [ofA, ofB] = [columnsUsed(a), columnsUsed(b)];
  if (readsOnly(left, ofA) && readsOnly(right, ofB)) return [a, b];
  return readsOnly(right, ofA) && readsOnly(left, ofB) ? [b, a] : null;
}
