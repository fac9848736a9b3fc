import Table from 'cli-table3';
import { printable } from '../core/printable.ts';

/** Renders a table of untrusted texts: each cell is one line, with control characters escaped. */
export function plainTable(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  for (const row of rows) table.push(row.map((cell) => (typeof cell === 'string' ? printable(cell) : (cell ?? ''))));
  return `${table.toString()}\n`;
}
