import type { SetOperation } from './nodes.ts';
import { printIdentifier } from './printText.ts';

/** `LEFT UNION ALL BY NAME ON (a, b)`. CORRESPONDING is printed as the equivalent BY NAME. */
export function printSetOperator({
  operator,
  quantifier,
  byName,
}: Pick<SetOperation, 'operator' | 'quantifier' | 'byName'>): string {
  const words = `${operator} ${quantifier}`.toUpperCase();
  if (byName === undefined) return words;
  const mode = byName.mode === 'strict' ? '' : `${byName.mode.toUpperCase()} `;
  const columns = byName.columns.length === 0 ? '' : ` ON (${byName.columns.map(printIdentifier).join(', ')})`;
  return `${mode}${words} BY NAME${columns}`;
}
