import { outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type { Relation } from '../../../googlesql/resolve/tree.ts';
import { type Block, Emission } from './emission.ts';
import { type Item, selectText } from './selectText.ts';

/** The columns of a relation that something above still reads. */
export function passing(relation: Relation, emission: Emission): readonly Item[] {
  return outputColumns(relation, (scan) => emission.scanColumns(scan))
    .filter((column) => emission.used.has(column))
    .map((column) => ({ column, sql: emission.name(column) }));
}

/** A SELECT over the block as a block of its own, whose columns are the items. */
export function subselect(
  block: Block,
  items: readonly Item[],
  tail: string,
  emission: Emission,
  quantifier = '',
): Block {
  const text = selectText(block, items, tail, quantifier);
  const alias = emission.newAlias();
  for (const item of items) emission.setName(item.column, `${alias}.${Emission.columnAlias(item.column)}`);
  return { from: `(${text}) AS ${alias}`, where: [] };
}

/** The block as one FROM item without conditions of its own. */
export function closed(relation: Relation, block: Block, emission: Emission): Block {
  if (block.from !== '' && block.where.length === 0) return block;
  return subselect(block, passing(relation, emission), '', emission);
}
