import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../sqlText.ts';
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
  const facts = await factsOf(connection, table);
  await attachViews(connection, alias, [[table.table, selectOf(table)]]);
  return facts;
}

/** With one statement, because each opens the file again. */
async function factsOf(
  connection: DuckDBConnection,
  { path, rows, irregular, check, events }: FetchedTable,
): Promise<EngineCalls['attachFetched']['gives']> {
  if (path === null) return { irregular: [], check: 0, events: null };
  const keys = irregular === null ? null : quoteIdentifier(irregular);
  const items = [
    'count(*)',
    keys === null ? 'NULL' : `string_agg(DISTINCT ${keys}, chr(10)) FILTER (WHERE ${keys} <> '')`,
    check === null ? '0' : `max(${quoteIdentifier(check)})`,
    events === null ? 'NULL' : `CAST(sum(${quoteIdentifier(events)}) AS BIGINT)`,
  ];
  const [found] = await readRows(connection, `SELECT ${items.join(', ')} FROM ${parquetRows(path)}`);
  const [count, irregularKeys, highest, sum] = found ?? [];
  if (count !== BigInt(rows)) {
    throw new Error(`IO Error: a fetched file does not have the ${rows} rows that were announced`);
  }
  return {
    irregular: irregularKeys === null ? [] : [...new Set(String(irregularKeys).split('\n'))],
    check: Number(highest ?? 0),
    events: events === null ? null : Number(sum ?? 0),
  };
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
