import { assertNever } from '../../core/assertNever.ts';
import type { Expression, FromItem, Identifier, JoinType, WithOffset } from './nodes.ts';
import { printExpression, printList } from './printExpression.ts';
import { printQuery } from './printQuery.ts';
import { printIdentifier, printPath } from './printText.ts';

/** What stands behind FROM. */
export function printFrom(item: FromItem): string {
  switch (item.kind) {
    case 'TableReference':
      return `${printPath(item.path)}${printAlias(item.alias)}${printWithOffset(item.withOffset)}`;
    case 'TableSubquery':
      return `(${printQuery(item.query)})${printAlias(item.alias)}`;
    case 'TableFunction':
      return `${printPath(item.name)}(${printList(item.args)})${printAlias(item.alias)}`;
    case 'Unnest':
      return `UNNEST(${printExpression(item.expression)})${printAlias(item.alias)}${printWithOffset(item.withOffset)}`;
    case 'Join': {
      const separator = item.type === 'comma' ? ', ' : ` ${printJoinType(item.type)} `;
      return `${printFrom(item.left)}${separator}${printFrom(item.right)}${printJoinCondition(item.on, item.using)}`;
    }
    case 'ParenthesizedJoin':
      return `(${printFrom(item.item)})`;
    default:
      return assertNever(item);
  }
}

/** `LEFT JOIN`; the comma has no words. */
export function printJoinType(type: Exclude<JoinType, 'comma'>): string {
  return type === 'inner' ? 'JOIN' : `${type.toUpperCase()} JOIN`;
}

/** ` ON …`, ` USING (…)` or nothing. */
export function printJoinCondition(on: Expression | undefined, using: readonly Identifier[]): string {
  if (on !== undefined) return ` ON ${printExpression(on)}`;
  return using.length === 0 ? '' : ` USING (${using.map(printIdentifier).join(', ')})`;
}

/** ` AS name` or nothing. */
export function printAlias(alias: Identifier | undefined): string {
  return alias === undefined ? '' : ` AS ${printIdentifier(alias)}`;
}

function printWithOffset(withOffset: WithOffset | undefined): string {
  return withOffset === undefined ? '' : ` WITH OFFSET${printAlias(withOffset.alias)}`;
}
