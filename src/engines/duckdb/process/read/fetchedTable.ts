import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../sqlText.ts';
import type { EngineCalls, FetchedTable } from '../protocol.ts';
import { attachViews, freeName } from './attachViews.ts';
import { parquetRows } from './parquetRows.ts';
import { rowsOf } from './wholeResult.ts';

/**
 * Makes fetched rows readable as the table of an attached database, which exists only in memory, in place of an earlier
 * one of the name. The rows stay in their file: a statement reads only the columns that it needs. Returns what its columns
 * say about the rows.
 *
 * @throws Error if the file has another number of rows, or in the engine's words
 */
export async function attachFetched(
  connection: DuckDBConnection,
  { alias, table }: EngineCalls['attachFetched']['takes'],
): Promise<EngineCalls['attachFetched']['gives']> {
  const views = [[table.table, selectOf(table)]] as const;
  if (table.path === null) {
    await attachViews(connection, alias, views);
    return { irregular: [], check: 0, events: null };
  }
  const result = await attachViews(connection, alias, views, factsSql(table.path, table));
  const [count, irregular, check, events] = rowsOf(result)[0] ?? [];
  if (count !== BigInt(table.rows)) {
    await freeName(connection, alias);
    throw new Error(`IO Error: a fetched file does not have the ${table.rows} rows that were announced`);
  }
  return {
    irregular: typeof irregular === 'string' ? [...new Set(irregular.split('\n'))] : [],
    check: Number(check ?? 0),
    events: table.events === null ? null : Number(events ?? 0),
  };
}

/** One statement, because each opens the file again. */
function factsSql(path: string, { irregular, check, events }: FetchedTable): string {
  const keys = irregular === null ? null : quoteIdentifier(irregular);
  const items = [
    'count(*)',
    keys === null ? 'NULL' : `string_agg(DISTINCT ${keys}, chr(10)) FILTER (WHERE ${keys} <> '')`,
    check === null ? '0' : `max(${quoteIdentifier(check)})`,
    events === null ? 'NULL' : `CAST(sum(${quoteIdentifier(events)}) AS BIGINT)`,
  ];
  return `SELECT ${items.join(', ')} FROM ${parquetRows(path)}`;
}

function selectOf({ path, columns }: FetchedTable): string {
  const valueSql = ({ type, inFile }: FetchedTable['columns'][number]): string => {
    if (path === null) return `CAST(NULL AS ${type})`;
    const stored = quoteIdentifier(inFile);
    return type === 'TIMESTAMP' ? `make_timestamp(${stored})` : `CAST(${stored} AS ${type})`;
  };
  const items = columns.map((column) => `${valueSql(column)} AS ${quoteIdentifier(column.name)}`);
  const list = items.length === 0 ? '1 AS one' : items.join(', ');
  return path === null ? `SELECT ${list} WHERE FALSE` : `SELECT ${list} FROM ${parquetRows(path)}`;
}
