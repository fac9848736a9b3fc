import { assertNever } from '../../core/assertNever.ts';
import type { GroupBy, OrderingItem, Query, QueryBody, Select, SelectItem } from './nodes.ts';
import { printExpression, printList, printQualifier } from './printExpression.ts';
import { printAlias, printFrom } from './printFrom.ts';
import { printPipe } from './printPipe.ts';
import { printIdentifier } from './printText.ts';
import { printWindowClause } from './printWindow.ts';

/**
 * The query as text on one line, in one canonical spelling. Parsing it gives the same tree but for positions, so
 * printing that again gives the same text.
 */
export function printQuery(query: Query): string {
  const parts: string[] = [];
  if (query.withEntries.length > 0) {
    const entries = query.withEntries.map(
      ({ name, query: body }) => `${printIdentifier(name)} AS (${printQuery(body)})`,
    );
    parts.push(`WITH ${entries.join(', ')}`);
  }
  parts.push(printBody(query.body));
  if (query.orderBy.length > 0) parts.push(printOrderBy(query.orderBy));
  if (query.limit !== undefined) parts.push(`LIMIT ${printExpression(query.limit)}`);
  if (query.offset !== undefined) parts.push(`OFFSET ${printExpression(query.offset)}`);
  for (const pipe of query.pipes) parts.push(`|> ${printPipe(pipe)}`);
  return parts.join(' ');
}

function printBody(body: QueryBody): string {
  switch (body.kind) {
    case 'Select':
      return printSelect(body);
    case 'SetOperation':
      return body.arms.map(printBody).join(` ${body.operator} ${body.quantifier} `.toUpperCase());
    case 'ParenthesizedQuery':
      return `(${printQuery(body.query)})`;
    case 'FromQuery':
      return `FROM ${printFrom(body.from)}`;
    default:
      return assertNever(body);
  }
}

function printSelect(select: Select): string {
  const parts = ['SELECT'];
  if (select.isDistinct) parts.push('DISTINCT');
  if (select.as !== undefined) parts.push(`AS ${select.as.toUpperCase()}`);
  parts.push(select.items.map(printSelectItem).join(', '));
  if (select.from !== undefined) parts.push(`FROM ${printFrom(select.from)}`);
  if (select.where !== undefined) parts.push(`WHERE ${printExpression(select.where)}`);
  if (select.groupBy !== undefined) parts.push(printGroupBy(select.groupBy));
  if (select.having !== undefined) parts.push(`HAVING ${printExpression(select.having)}`);
  if (select.qualify !== undefined) parts.push(`QUALIFY ${printExpression(select.qualify)}`);
  if (select.windows.length > 0) parts.push(printWindowClause(select.windows));
  return parts.join(' ');
}

export function printSelectItem(item: SelectItem): string {
  if (item.kind === 'SelectExpression') return `${printExpression(item.expression)}${printAlias(item.alias)}`;
  const star = item.qualifier === undefined ? '*' : `${printQualifier(item.qualifier)}.*`;
  const except = item.except.length === 0 ? '' : ` EXCEPT (${item.except.map(printIdentifier).join(', ')})`;
  const replacements = item.replace.map(
    ({ expression, alias }) => `${printExpression(expression)}${printAlias(alias)}`,
  );
  return `${star}${except}${replacements.length === 0 ? '' : ` REPLACE (${replacements.join(', ')})`}`;
}

function printGroupBy({ isAll, items }: GroupBy): string {
  if (isAll) return 'GROUP BY ALL';
  const groupings = items.map((item) =>
    item.kind === 'Rollup' ? `ROLLUP(${printList(item.expressions)})` : printExpression(item.expression),
  );
  return `GROUP BY ${groupings.join(', ')}`;
}

/** `ORDER BY …`; ascending is left out. */
export function printOrderBy(items: readonly OrderingItem[]): string {
  const orderings = items.map(
    ({ expression, direction, nulls }) =>
      `${printExpression(expression)}${direction === 'desc' ? ' DESC' : ''}${nulls === undefined ? '' : ` NULLS ${nulls.toUpperCase()}`}`,
  );
  return `ORDER BY ${orderings.join(', ')}`;
}
