import type { ResolvedSubquery } from './context.ts';
import type { RangeVariable } from './nameScope.ts';
import { columnExpr } from './names.ts';
import type { ResolveSession } from './session.ts';

/** The range variable for a query in FROM: its columns, or the values of a value table. */
export function variableOf(
  { outputs, isValueTable }: Pick<ResolvedSubquery, 'outputs' | 'isValueTable'>,
  name: string | null,
  session: ResolveSession,
): RangeVariable {
  const [only] = outputs;
  if (isValueTable === true && only !== undefined) {
    const { column } = only;
    return column.type.kind === 'JSON'
      ? { kind: 'record', name, column, shape: session.shapeOf(columnExpr(column)) }
      : { kind: 'value', name, column };
  }
  const columns = outputs.map((output) => ({ name: output.name, expr: columnExpr(output.column) }));
  return { kind: 'table', name, columns };
}
