import Table from 'cli-table3';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../core/jsonValue.ts';
import { printable } from '../core/printable.ts';
import { writeJson } from '../core/writeJson.ts';

export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
  readonly notices: readonly string[];
  readonly truncatedBy: string | undefined;
  readonly elapsedMs: number | undefined;
}

/** Reads the members that a table needs from the body of a 200 (contract, section 1, "Success"). */
export function readAnswer(body: JsonValue): QueryAnswer {
  const answer = isJsonObject(body) ? body : {};
  const rows = isJsonArray(answer.result) ? answer.result.filter(isJsonObject) : [];
  const meta = isJsonObject(answer.meta) ? answer.meta : {};
  const query = isJsonObject(meta.query) ? meta.query : {};
  return {
    columns: textsOf(meta.columns, 'name'),
    rows,
    notices: textsOf(meta.notices, 'message'),
    truncatedBy: typeof meta.truncated_by === 'string' ? meta.truncated_by : undefined,
    elapsedMs: typeof query.elapsed_ms === 'number' ? query.elapsed_ms : undefined,
  };
}

function textsOf(list: JsonValue | undefined, member: string): readonly string[] {
  if (!isJsonArray(list)) return [];
  return list.filter(isJsonObject).flatMap((item) => (typeof item[member] === 'string' ? [item[member]] : []));
}

/** Renders the rows as a table, at most `columnsMax` characters wide if possible; long cells end in `…`. */
export function renderTable({ columns, rows }: QueryAnswer, columnsMax: number): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column] ?? null)));
  const heads = columns.map(cellText);
  const widths = fittingWidths(
    heads.map((head, index) => Math.max(head.length, ...cells.map((row) => row[index]?.length ?? 0))),
    columnsMax,
  );
  const table = new Table({
    head: heads.map((head, index) => cut(head, widths[index] ?? 0)),
    style: { head: [], border: [], compact: true },
  });
  for (const row of cells) table.push(row.map((cell, index) => cut(cell, widths[index] ?? 0)));
  return table.toString();
}

function cellText(value: JsonValue): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : writeJson(value);
  // Control characters of a log line must not reach the terminal.
  return printable(text.replaceAll('\n', '⏎').replaceAll(/\p{Cc}/gu, '·'));
}

/** Shortens the widest column until a row with its borders fits; never below eight characters. */
function fittingWidths(wanted: readonly number[], columnsMax: number): readonly number[] {
  const widths = wanted.map((width) => Math.min(width, columnsMax));
  while (widths.reduce((sum, width) => sum + width + 3, 1) > columnsMax) {
    const widest = Math.max(...widths);
    if (widest <= 8) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
