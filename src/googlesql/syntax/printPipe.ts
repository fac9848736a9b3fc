import { assertNever } from '../../core/assertNever.ts';
import type { PipeAggregate, PipeAggregateItem, PipeJoin, PipeOperator } from './nodes.ts';
import { printExpression } from './printExpression.ts';
import { printFrom, printJoinCondition, printJoinType } from './printFrom.ts';
import { printOrderBy, printQuery, printSelectItem } from './printQuery.ts';
import { printIdentifier } from './printText.ts';
import { printWindowClause } from './printWindow.ts';

/** One pipe operator without its `|>`. */
export function printPipe(pipe: PipeOperator): string {
  switch (pipe.kind) {
    case 'PipeWhere':
      return `WHERE ${printExpression(pipe.condition)}`;
    case 'PipeSelect':
    case 'PipeExtend': {
      const keyword = pipe.kind === 'PipeExtend' ? 'EXTEND' : pipe.isDistinct ? 'SELECT DISTINCT' : 'SELECT';
      const windows = pipe.windows.length === 0 ? '' : ` ${printWindowClause(pipe.windows)}`;
      return `${keyword} ${pipe.items.map(printSelectItem).join(', ')}${windows}`;
    }
    case 'PipeSet':
      return `SET ${pipe.assignments.map(({ column, value }) => `${printIdentifier(column)} = ${printExpression(value)}`).join(', ')}`;
    case 'PipeDrop':
      return `DROP ${pipe.columns.map(printIdentifier).join(', ')}`;
    case 'PipeRename':
      return `RENAME ${pipe.renamings.map(({ column, alias }) => `${printIdentifier(column)} AS ${printIdentifier(alias)}`).join(', ')}`;
    case 'PipeAs':
      return `AS ${printIdentifier(pipe.alias)}`;
    case 'PipeAggregate':
      return printAggregate(pipe);
    case 'PipeDistinct':
      return 'DISTINCT';
    case 'PipeOrderBy':
      return printOrderBy(pipe.items);
    case 'PipeLimit':
      return `LIMIT ${printExpression(pipe.limit)}${pipe.offset === undefined ? '' : ` OFFSET ${printExpression(pipe.offset)}`}`;
    case 'PipeJoin':
      return printJoin(pipe);
    case 'PipeSetOperation':
      return (
        `${pipe.operator} ${pipe.quantifier} `.toUpperCase() +
        pipe.arms.map(({ query }) => `(${printQuery(query)})`).join(', ')
      );
    default:
      return assertNever(pipe);
  }
}

function printAggregate({ items, groupBy, isOrdered }: PipeAggregate): string {
  const parts = ['AGGREGATE'];
  if (items.length > 0) parts.push(items.map(printAggregateItem).join(', '));
  if (groupBy.length > 0) {
    parts.push(`GROUP ${isOrdered ? 'AND ORDER BY' : 'BY'} ${groupBy.map(printAggregateItem).join(', ')}`);
  }
  return parts.join(' ');
}

function printAggregateItem({ item, direction, nulls }: PipeAggregateItem): string {
  const order = direction === undefined ? '' : ` ${direction.toUpperCase()}`;
  return `${printSelectItem(item)}${order}${nulls === undefined ? '' : ` NULLS ${nulls.toUpperCase()}`}`;
}

function printJoin({ type, right, on, using }: PipeJoin): string {
  return `${printJoinType(type)} ${printFrom(right)}${printJoinCondition(on, using)}`;
}
