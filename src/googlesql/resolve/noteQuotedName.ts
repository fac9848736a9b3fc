import type { StringLiteral } from '../syntax/nodes.ts';
import type { ExpressionContext } from './context.ts';
import { named } from './named.ts';

/** Adds the notice `sql.quoted_name` for a string in double quotes that is spelled like a column: other dialects read it as the column. */
export function noteQuotedName({ value, pos }: StringLiteral, { scope, session }: ExpressionContext): void {
  if (!session.isInDoubleQuotes(pos)) return;
  const isColumn = scope.variables.some(
    (variable) => variable.kind === 'table' && named(variable.columns, value).length > 0,
  );
  if (!isColumn) return;
  session.note({
    code: 'sql.quoted_name',
    message: `"${value}" is a string, because text in double quotes is a string; for the column, write \`${value}\` in backticks or without quotes.`,
    line: pos.line,
    column: pos.column,
  });
}
