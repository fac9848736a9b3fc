import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Block, Join, JoinSide } from './blocks.ts';
import type { Cell } from './cells.ts';

export const isJoin = (source: Block['source']): source is Join => 'keys' in source;

export function joinSide(block: Block, alias: JoinSide['alias']): JoinSide {
  return { block, alias, outputs: new Map() };
}

/** The name of the output that has the value of SQL over the columns of the side's table. */
export function outputOfSide({ alias, outputs }: JoinSide, sql: string): string {
  const known = outputs.get(sql);
  if (known !== undefined) return known;
  const name = `${alias}${outputs.size}`;
  outputs.set(sql, name);
  return name;
}

/** The outputs of a side that are read in SQL above the join; perhaps some more, if texts in it look like their names. */
export function outputsRead({ outputs }: JoinSide, above: string): readonly string[] {
  const read = new Set(above.match(/\bin_[lr]\d+\b/g));
  return [...outputs].filter(([, name]) => read.has(name)).map(([sql, name]) => `${sql} AS ${name}`);
}

/** The meaning of a side's column above the join. */
export function cellAbove(cell: Cell, side: JoinSide): Cell {
  switch (cell.kind) {
    case 'value': {
      // A stored column has no index here.
      const { stored: _, ...value } = cell;
      return { ...value, sql: outputOfSide(side, cell.sql) };
    }
    case 'json':
      return { ...cell, lift: (sql) => outputOfSide(side, cell.lift(sql)) };
    case 'scalar':
    case 'sealed':
    case 'text':
      return { ...cell, sql: outputOfSide(side, cell.sql) };
    case 'deferred':
    case 'kept':
      return cell;
  }
}

/** Whether an expression reads columns of this side only. */
export function readsOnly({ block: { cells } }: JoinSide, columns: ReadonlySet<Column>): boolean {
  return [...columns].every((column) => cells.has(column));
}
