import { mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Expr, SetOperationRelation, SortKey } from '../../../googlesql/resolve/tree.ts';
import type { Block, Union } from './blocks.ts';
import { wholeBlock } from './blocks.ts';
import type { Cell } from './cells.ts';
import { isJoin } from './join.ts';
import { notPushed } from './notPushed.ts';

export const isUnion = (source: Block['source']): source is Union => 'arms' in source;

/** The name of the output that has the value of a column in the SELECT of each arm. No column of a table has such a name. */
export const outputOfArms = (position: number): string => `in_u${position}`;

/** The rows of a UNION ALL. `blocks` are those of its arms. */
export function united({ op, all, inputs, columns }: SetOperationRelation, blocks: readonly Block[]): Block {
  if (op !== 'union' || !all) return notPushed('UNION DISTINCT, INTERSECT and EXCEPT');
  const arms = inputs.map(({ columns: own }, i) => ({ block: armOf(blocks[i]), columns: own }));
  const cells = columns.map((_, position) =>
    cellAbove(
      arms.map((arm) => arm.block.cells.get(columnAt(arm.columns, position))),
      position,
    ),
  );
  const union: Union = { arms, cells };
  return wholeBlock(union, new Map(columns.map((column, i) => [column, cellAt(union, i)])));
}

function armOf(block: Block | undefined): Block {
  if (block === undefined) throw new Error('an arm of a UNION ALL has no block');
  const { source, limit, isWindowed } = block;
  if (isUnion(source)) return notPushed('UNION ALL below UNION ALL');
  if (isJoin(source)) return notPushed('JOIN below UNION ALL');
  if (source.isRedacted) return notPushed('UNION ALL of redacted events');
  if (limit !== null || isWindowed) return notPushed('LIMIT and window functions below UNION ALL');
  return block;
}

function columnAt(columns: readonly Column[], position: number): Column {
  const column = columns[position];
  if (column === undefined) throw new Error('an arm of a UNION ALL lacks a column');
  return column;
}

function cellAt({ cells }: Union, position: number): Cell {
  const cell = cells[position];
  if (cell === undefined) throw new Error('a UNION ALL lacks a column');
  return cell;
}

/** The meaning of a column above the union. Its values must have one form in all arms. */
function cellAbove(own: readonly (Cell | undefined)[], position: number): Cell {
  const sql = outputOfArms(position);
  if (own.every((cell) => cell?.kind === 'value'))
    return { kind: 'value', sql, isFinite: own.every((cell) => cell.isFinite), isTyped: true };
  if (own.every((cell) => cell?.kind === 'scalar')) return { kind: 'scalar', sql };
  if (own.every((cell) => cell?.kind === 'json' && cell.path.length === 0)) return { kind: 'text', sql };
  return { kind: 'kept', reason: 'a nested or computed value of UNION ALL' };
}

/** A filter on each arm, which leaves the rows that it would leave above them. */
export function filteredArms(
  block: Block,
  union: Union,
  condition: Expr,
  filter: (arm: Block, condition: Expr) => Block,
): Block {
  const arms = union.arms.map((arm) => {
    const own = (expr: Expr): Expr =>
      expr.kind === 'column'
        ? columnOfArm(block, union, arm.columns, expr)
        : mapExpr(expr, { relation: () => notPushed('a subquery'), expr: own });
    return { ...arm, block: filter(arm.block, own(condition)) };
  });
  return { ...block, source: { ...union, arms } };
}

/** The union with only those rows of each arm that may be among the first ones of all. */
export function firstOfArms(
  { sort, cells }: Pick<Block, 'sort' | 'cells'>,
  union: Union,
  count: bigint,
  first: (arm: Block, keys: readonly SortKey[], count: bigint) => Block,
): Union {
  const arms = union.arms.map((arm) => {
    const keys = sort.map((key) => ({ ...key, expr: columnOfArm({ cells }, union, arm.columns, key.expr) }));
    return { ...arm, block: first(arm.block, keys, count) };
  });
  return { ...union, arms };
}

/** The column of an arm that a column above the union is. */
function columnOfArm({ cells }: Pick<Block, 'cells'>, union: Union, columns: readonly Column[], expr: Expr): Expr {
  const cell = expr.kind === 'column' ? cells.get(expr.column) : undefined;
  const position = cell === undefined ? -1 : union.cells.indexOf(cell);
  if (position < 0) return notPushed('a filter or order of computed values above UNION ALL');
  const column = columnAt(columns, position);
  return { kind: 'column', type: column.type, column };
}
