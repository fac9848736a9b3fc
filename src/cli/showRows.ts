import type { JsonValue } from '../core/jsonValue.ts';
import type { CliContext } from './cliContext.ts';
import { readAnswer, renderTable } from './resultTable.ts';

/** Prints the rows of an answer as a table, and below it their number, the time and the notices as messages. */
export function showRows(body: JsonValue, context: CliContext): void {
  const result = readAnswer(body);
  context.out(`${renderTable(result, context.columns ?? Number.POSITIVE_INFINITY)}\n`);
  const elapsed = result.elapsedMs === undefined ? '' : `, ${result.elapsedMs.toFixed(1)} ms`;
  const truncated = result.truncatedBy === undefined ? '' : `, truncated by ${result.truncatedBy}`;
  context.err(`${result.rows.length} ${result.rows.length === 1 ? 'row' : 'rows'}${elapsed}${truncated}\n`);
  for (const notice of result.notices) context.err(`notice: ${notice}\n`);
}
