import type { WindowCall } from '../../../googlesql/resolve/tree.ts';
import type { ValueCell } from './cells.ts';
import { notPushed } from './notPushed.ts';
import { nameOf, type Place } from './place.ts';
import { emitSortKeys } from './sortKeys.ts';

/**
 * Writes a window function over groups. Throws like `Place.expr`. Only what needs every group and returns few of them is
 * pushed: a total of counts, which tells shares of the most frequent values, and the rank by which the newest periods of a
 * chart are kept.
 */
export function emitWindow(call: WindowCall, place: Place): ValueCell {
  const { fn, modifiers, partitionBy, orderBy, frame, args } = call;
  if (partitionBy.length > 0 || frame !== null) notPushed('PARTITION BY and frames of windows');
  if (modifiers.distinct || modifiers.orderBy.length > 0 || modifiers.limit !== null || modifiers.nulls !== null)
    notPushed(`${nameOf(fn)} with modifiers over a window`);
  if (fn === 'row_number') {
    const order = emitSortKeys(orderBy, place).join(', ');
    return value(`toInt64(row_number() OVER (${order === '' ? '' : `ORDER BY ${order}`}))`);
  }
  const [counted] = args;
  const cell = counted?.kind === 'column' ? place.cells.get(counted.column) : undefined;
  // Counts are never NULL, and all of them together are at most the number of events.
  if (fn !== 'sum' || orderBy.length > 0 || cell?.kind !== 'value' || cell.isCount !== true)
    return notPushed('window functions');
  return value(`sum(${cell.sql}) OVER ()`);
}

const value = (sql: string): ValueCell => ({ kind: 'value', sql, isFinite: false });
