import type { FrameBound, NamedWindow, Window, WindowFrame } from './nodes.ts';
import { printList, printOperand } from './printExpression.ts';
import { printOrderBy } from './printQuery.ts';
import { printIdentifier } from './printText.ts';

/** A window as it stands behind OVER or `WINDOW name AS`. */
export function printWindow(window: Window): string {
  if (window.kind === 'WindowName') return printIdentifier(window.name);
  const parts: string[] = [];
  if (window.base !== undefined) parts.push(printIdentifier(window.base));
  if (window.partitionBy.length > 0) parts.push(`PARTITION BY ${printList(window.partitionBy)}`);
  if (window.orderBy.length > 0) parts.push(printOrderBy(window.orderBy));
  if (window.frame !== undefined) parts.push(printFrame(window.frame));
  return `(${parts.join(' ')})`;
}

/** `WINDOW name AS …, …`. */
export function printWindowClause(windows: readonly NamedWindow[]): string {
  return `WINDOW ${windows.map(({ name, window }) => `${printIdentifier(name)} AS ${printWindow(window)}`).join(', ')}`;
}

function printFrame({ unit, lower, upper }: WindowFrame): string {
  const start = printBound(lower);
  return `${unit.toUpperCase()} ${upper === undefined ? start : `BETWEEN ${start} AND ${printBound(upper)}`}`;
}

function printBound({ bound, distance }: FrameBound): string {
  const words = bound.toUpperCase().replace('_', ' ');
  return distance === undefined ? words : `${printOperand(distance)} ${words}`;
}
