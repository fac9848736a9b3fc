import type { DuckDBConnection } from '@duckdb/node-api';
import { nothingRemoved } from '../../../../retention/cutoffs.ts';
import {
  arrivalColumn,
  type ColumnType,
  ordinalColumn,
  type TableColumn,
  type TableLayout,
} from '../../files/tableLayout.ts';
import { keptCondition } from '../../removal/rowMasks.ts';
import { quoteText } from '../../sqlText.ts';
import type { LeftOut } from '../protocol.ts';
import { readRows } from '../read/wholeResult.ts';

/** A table of a file to rewrite, with the actual types of its columns. */
export interface InputTable {
  readonly alias: string;
  readonly table: string;
  readonly columns: ReadonlyMap<string, string>;
  /** Conditions of the rows that are carried over, and of those that no deletion on request removes. */
  readonly kept: string;
  readonly undeleted: string;
}

/** The event tables of attached files, in the order of the files. */
export async function inputTables(
  connection: DuckDBConnection,
  aliases: readonly string[],
  leftOut: readonly LeftOut[] = [],
): Promise<readonly InputTable[]> {
  const found: (InputTable & { readonly columns: Map<string, string> })[] = [];
  for (const alias of aliases) {
    const rows = await readRows(
      connection,
      `SELECT table_name, column_name, data_type FROM duckdb_columns()
       WHERE database_name = ${quoteText(alias)} AND schema_name = 'main' ORDER BY table_name, column_index`,
    );
    for (const [table, column, type] of rows) {
      let last = found.at(-1);
      if (last?.alias !== alias || last.table !== table) {
        const cut = leftOut.find(({ input, source }) => input === alias && source === table);
        const kept = cut === undefined ? 'TRUE' : keptCondition(cut.hidden);
        const undeleted = cut === undefined ? 'TRUE' : keptCondition({ others: nothingRemoved, own: cut.deleted });
        last = { alias, table: String(table), columns: new Map(), kept, undeleted };
        found.push(last);
      }
      last.columns.set(String(column), String(type));
    }
  }
  return found;
}

/**
 * The declared layouts, and one for each table of the inputs that no source declares any more, so that rewriting keeps
 * its events.
 */
export function layoutsOf(declared: readonly TableLayout[], inputs: readonly InputTable[]): readonly TableLayout[] {
  const layouts = new Map(declared.map((layout) => [layout.table, layout]));
  const undeclared = new Map<string, Map<string, TableColumn>>();
  for (const { table, columns } of inputs) {
    if (layouts.has(table)) continue;
    const known = undeclared.get(table) ?? new Map<string, TableColumn>();
    undeclared.set(table, known);
    for (const [name, type] of columns) {
      const isLongText = name === 'event_message' || name === 'metadata' || name === 'url';
      const isOurs = name === ordinalColumn || name === arrivalColumn;
      if (!isOurs && !known.has(name)) known.set(name, { name, type: type as ColumnType, isLongText });
    }
  }
  return [...declared, ...[...undeclared].map(([table, columns]) => ({ table, columns: [...columns.values()] }))];
}
