import type { Column } from '../../../googlesql/resolve/tree.ts';
import { type Block, Emission, statementCharsMax, tooLong } from './emission.ts';

/** One item of a select list. */
export interface Item {
  readonly column: Column;
  readonly sql: string;
}

/** Writes a SELECT over a block. `tail` follows WHERE. */
export function selectText(block: Block, items: readonly Item[], tail: string, quantifier = ''): string {
  const list = items.map((item) => `${item.sql} AS ${Emission.columnAlias(item.column)}`).join(', ');
  const from = block.from === '' ? '' : ` FROM ${block.from}`;
  const where =
    block.where.length === 0 ? '' : ` WHERE ${block.where.map((condition) => `(${condition})`).join(' AND ')}`;
  const text = `SELECT ${quantifier}${list === '' ? '1 AS one' : list}${from}${where}${tail === '' ? '' : ` ${tail}`}`;
  if (text.length > statementCharsMax) throw tooLong();
  return text;
}
