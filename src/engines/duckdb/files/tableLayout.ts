import { assertNever } from '../../../core/assertNever.ts';
import { type HotColumn, pathKey, type Source } from '../../../sources/source.ts';
import { quoteIdentifier } from '../sqlText.ts';

export type ColumnType = 'VARCHAR' | 'TIMESTAMP' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN';

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Long text. zstd is not chosen automatically for texts below 4 KB on average. */
  readonly isLongText: boolean;
}

/** The table of one source, the same in active and sealed segments. Sent to the engine process as data. */
export interface TableLayout {
  /** The source's name; the table is in schema `main` of the file. */
  readonly table: string;
  readonly columns: readonly TableColumn[];
}

/** Number of columns that every event has, before the typed ones. */
export const plainColumns = 5;

const column = (name: string, type: ColumnType, isLongText = false): TableColumn => ({ name, type, isLongText });

/** Columns of a source: the five of every event, then its typed columns in order. */
export function tableLayout(source: Source): TableLayout {
  return {
    table: source.name,
    columns: [
      column('id', 'VARCHAR'),
      column('timestamp', 'TIMESTAMP'),
      column('project', 'VARCHAR'),
      column('event_message', 'VARCHAR', true),
      column('metadata', 'VARCHAR', true),
      ...source.hotColumns.map((hot) => column(hot.column, hotColumnType(hot), hot.column === 'url')),
    ],
  };
}

function hotColumnType(hot: HotColumn): ColumnType {
  switch (hot.kind) {
    case 'string':
      return 'VARCHAR';
    case 'int64':
      return 'BIGINT';
    case 'float64':
      return 'DOUBLE';
    case 'presence':
      return 'BOOLEAN';
    default:
      return assertNever(hot.kind);
  }
}

/**
 * pathKeys of declared typed columns that a table with these columns lacks or has with another type. Queries read them
 * from `metadata`, as for irregular events. Empty if the columns are unknown.
 */
export function lackingPaths(
  source: Source,
  columns: readonly (readonly [name: string, type: string])[] | undefined,
): readonly string[] {
  if (columns === undefined) return [];
  const types = new Map(columns);
  return source.hotColumns
    .filter((hot) => types.get(hot.column) !== hotColumnType(hot))
    .map(({ path }) => pathKey(path));
}

/**
 * The arrival number of an event (eventLog.ts), after the columns of its source. NULL in events that were stored before
 * there were numbers; tables from that time lack the column until they are rewritten.
 */
export const arrivalColumn = 'arrival_number';

/**
 * A column of sealed segments only: the position of the event's project among the projects of its table. For skipping
 * rows, the engine keeps only the first eight bytes of texts, and project names often begin alike; a number is kept
 * whole.
 */
export const ordinalColumn = 'project_ordinal';

/** `alias.main."table"`: a table of an attached file. */
export function tableInFile(alias: string, table: string): string {
  return `${quoteIdentifier(alias)}.main.${quoteIdentifier(table)}`;
}

/**
 * CREATE TABLE of a source in an attached file. Only sealed segments compress long text, because an active one is
 * rewritten before its blocks would be read from disk.
 */
export function createTableSql(alias: string, layout: TableLayout, kind: 'active' | 'sealed'): string {
  const columns = layout.columns.map((at) => {
    const compression = kind === 'sealed' && at.isLongText ? ' USING COMPRESSION zstd' : '';
    return `${quoteIdentifier(at.name)} ${at.type}${compression}`;
  });
  columns.push(`${arrivalColumn} BIGINT`);
  if (kind === 'sealed') columns.push(`${ordinalColumn} INTEGER`);
  return `CREATE TABLE ${tableInFile(alias, layout.table)} (${columns.join(', ')})`;
}
