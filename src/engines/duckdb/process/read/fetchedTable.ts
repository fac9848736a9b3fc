import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier, quoteText } from '../../sqlText.ts';
import type { EngineCalls, FetchedTable } from '../protocol.ts';
import { attachViews } from './attachViews.ts';
import { parquetRows } from './parquetRows.ts';
import { readRows } from './wholeResult.ts';

/**
 * Makes fetched rows readable as the table of an attached database, which exists only in memory. The rows stay in their
 * file: a statement reads only the columns that it needs. Returns what its columns say about the rows.
 *
 * @throws Error if the file has another number of rows, or in the engine's words
 */
export async function attachFetched(
  connection: DuckDBConnection,
  { alias, table }: EngineCalls['attachFetched']['takes'],
): Promise<EngineCalls['attachFetched']['gives']> {
  await requireRows(connection, table);
  const irregular = await irregularIn(connection, table);
  const { check, events } = await totalsOf(connection, table);
  await attachViews(connection, alias, [[table.table, selectOf(table)]]);
  return { irregular, check, events };
}

async function requireRows(connection: DuckDBConnection, { path, rows }: FetchedTable): Promise<void> {
  if (path === null) return;
  const found = await readRows(connection, `SELECT num_rows FROM parquet_file_metadata(${quoteText(path)})`);
  if (found.length === 1 && found[0]?.[0] === BigInt(rows)) return;
  throw new Error(`IO Error: a fetched file does not have the ${rows} rows that were announced`);
}

async function irregularIn(
  connection: DuckDBConnection,
  { path, irregular }: FetchedTable,
): Promise<readonly string[]> {
  if (path === null || irregular === null) return [];
  const column = quoteIdentifier(irregular);
  const sql = `SELECT DISTINCT ${column} FROM ${parquetRows(path)} WHERE ${column} <> ''`;
  const found = await readRows(connection, sql);
  return [...new Set(found.flatMap(([keys]) => String(keys).split('\n')))];
}

async function totalsOf(
  connection: DuckDBConnection,
  { path, check, events }: FetchedTable,
): Promise<{ readonly check: number; readonly events: number | null }> {
  if (path === null || (check === null && events === null)) return { check: 0, events: null };
  const highest = check === null ? '0' : `max(${quoteIdentifier(check)})`;
  const sum = events === null ? 'NULL' : `CAST(sum(${quoteIdentifier(events)}) AS BIGINT)`;
  const [found] = await readRows(connection, `SELECT ${highest}, ${sum} FROM ${parquetRows(path)}`);
  return { check: Number(found?.[0] ?? 0), events: events === null ? null : Number(found?.[1] ?? 0) };
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
