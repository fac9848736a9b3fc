import type { StringLiteral } from '../syntax/nodes.ts';
import type { ExpressionContext } from './context.ts';
import { sameName } from './nameScope.ts';

/** `sql.quoted_name`: a text in double quotes that is spelt like a column, which other dialects would read there. */
export function noteQuotedName({ value, pos }: StringLiteral, { scope, session }: ExpressionContext): void {
  if (!session.isInDoubleQuotes(pos)) return;
  const isColumn = scope.variables.some(
    (variable) =>
      variable.kind === 'table' && variable.columns.some(({ name }) => name !== '' && sameName(name, value)),
  );
  if (!isColumn) return;
  session.note({
    code: 'sql.quoted_name',
    message: `"${value}" is a text, as all in double quotes; the column is written \`${value}\`, in backticks or without.`,
    line: pos.line,
    column: pos.column,
  });
}
