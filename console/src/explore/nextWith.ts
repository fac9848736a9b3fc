import { textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { columnNames, type ShownColumn } from './searchPlan.ts';

/**
 * Index of the next row that shows a text, in any case, from the row at `at` (-1 for none) downwards or upwards, and then from
 * the other end; -1 if no row does.
 */
export function nextWith(
  text: string,
  rows: readonly Row[],
  columns: readonly Pick<ShownColumn, 'name'>[],
  at: number,
  by: 1 | -1,
): number {
  if (text === '') return -1;
  const sought = text.toLowerCase();
  const { message, level, status } = columnNames;
  const names = [message, level, status, ...columns.map(({ name }) => name)];
  const from = at === -1 && by === -1 ? 0 : at;
  for (let step = 1; step <= rows.length; step++) {
    const index = (from + by * step + rows.length) % rows.length;
    const row = rows[index];
    if (names.some((name) => textOf(row?.[name]).toLowerCase().includes(sought))) return index;
  }
  return -1;
}
