import { columnsOutside } from '../../../googlesql/resolve/readsOutside.ts';
import { outputColumns, walkRelation } from '../../../googlesql/resolve/traverse.ts';
import type { AggregateRelation, Relation, WindowRelation } from '../../../googlesql/resolve/tree.ts';
import { type Block, Emission } from './emission.ts';
import { type Item, selectText } from './selectText.ts';

/** The columns of a relation that are still read above it. */
export function passing(relation: Relation, emission: Emission): readonly Item[] {
  return outputColumns(relation, (scan) => emission.scanColumns(scan))
    .filter((column) => emission.used.has(column))
    .map((column) => ({ column, sql: emission.name(column) }));
}

/** Wraps the block in a SELECT whose columns are the items. */
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

/** Wraps the block in a SELECT of the columns that are still read above the relation, and of further items. */
export function passingSubselect(
  relation: Relation,
  block: Block,
  further: readonly Item[],
  emission: Emission,
): Block {
  const passed = passing(relation, emission).map((item) => ({ ...item, text: emission.textOf(item.column) }));
  const beside = passed.map(({ column, sql, text }) => ({ column, sql: text ?? sql }));
  const selected = subselect(block, [...beside, ...further], '', emission);
  // Keeps columns as text: JSON would be built in vain for rows that a filter above leaves out.
  for (const { column, text } of passed) if (text !== null) emission.setText(column, emission.name(column));
  return selected;
}

/**
 * Encloses the conditions of a block below which a scan reads the events of all projects, so that conditions that can fail are
 * not next to those that choose the project. In a sealed segment, the engine moves both into the scan and computes them in any
 * order; it moves nothing that can fail past a condition.
 */
export function apart(relation: Relation, block: Block, emission: Emission): Block {
  // If a subquery reads columns of the outer query, one more SELECT would nest too deep.
  if (block.where.length === 0 || emission.isCorrelated || !readsAllProjects(relation, emission)) return block;
  return passingSubselect(relation, block, [], emission);
}

function readsAllProjects(relation: Relation, emission: Emission): boolean {
  let readsAll = false;
  walkRelation(relation, {
    relation: (below) => {
      if (below.kind === 'scan') readsAll ||= emission.scans.get(below.columns.timestamp)?.isHeld !== true;
    },
  });
  return readsAll;
}

/** Turns the block into one FROM item without conditions. */
export function closed(relation: Relation, block: Block, emission: Emission): Block {
  if (block.from !== '' && block.where.length === 0) return block;
  return subselect(block, passing(relation, emission), '', emission);
}

/**
 * Writes aggregate or window calls over a block that first turns the outer columns that the calls read into columns of
 * its own. An aggregate over outer columns only would otherwise belong to the outer query in the engine, as in standard
 * SQL; in GoogleSQL it counts the rows of its own query.
 */
export function* overOwnColumns(
  relation: AggregateRelation | WindowRelation,
  block: Block,
  emission: Emission,
  write: (block: Block) => Generator<undefined, Block>,
): Generator<undefined, Block> {
  const scanned: Parameters<typeof columnsOutside>[1] = (scan) => emission.scanColumns(scan);
  const inner = new Set(outputColumns(relation.input, scanned));
  const outer = emission.isCorrelated
    ? columnsOutside({ ...relation, input: { kind: 'oneRow' } }, scanned).filter((column) => !inner.has(column))
    : [];
  if (outer.length === 0) return yield* write(block);
  const names = outer.map((column) => ({ column, sql: emission.name(column) }));
  const written = yield* write(subselect(block, [...passing(relation.input, emission), ...names], '', emission));
  for (const { column, sql } of names) emission.setName(column, sql);
  return written;
}
