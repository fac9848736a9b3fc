import { columnsOutside } from '../../../googlesql/resolve/readsOutside.ts';
import { outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type { AggregateRelation, Relation, WindowRelation } from '../../../googlesql/resolve/tree.ts';
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

/**
 * Writes aggregate or window calls over a block that hands up, as columns of its own, what the calls read
 * of the query around theirs. Of an aggregate over nothing but outer columns the engine would make
 * one of the outer query, as standard SQL has it; to GoogleSQL it counts the rows of its own.
 */
export function overOwnColumns(
  relation: AggregateRelation | WindowRelation,
  block: Block,
  emission: Emission,
  write: (block: Block) => Block,
): Block {
  const scanned: Parameters<typeof columnsOutside>[1] = (scan) => emission.scanColumns(scan);
  const inner = new Set(outputColumns(relation.input, scanned));
  const outer = emission.isCorrelated
    ? columnsOutside({ ...relation, input: { kind: 'oneRow' } }, scanned).filter((column) => !inner.has(column))
    : [];
  if (outer.length === 0) return write(block);
  const names = outer.map((column) => ({ column, sql: emission.name(column) }));
  const written = write(subselect(block, [...passing(relation.input, emission), ...names], '', emission));
  for (const { column, sql } of names) emission.setName(column, sql);
  return written;
}
