import type { DuckDBConnection } from '@duckdb/node-api';
import { arrivalColumn, tableInFile } from '../../files/tableLayout.ts';
import type { HeldSource } from '../protocol.ts';
import { readRows } from '../read/wholeResult.ts';
import { arrivalCounts, arrivalsOf } from './arrivalRange.ts';
import type { InputTable } from './rewriteInputs.ts';

/** Times and counts per source and project of an attached file; without sources that have no events. */
export async function countByProject(
  connection: DuckDBConnection,
  inputs: readonly InputTable[],
): Promise<readonly HeldSource[]> {
  const sources = [];
  for (const { alias, table, columns } of inputs) {
    const number = columns.has(arrivalColumn) ? arrivalColumn : 'CAST(NULL AS BIGINT)';
    const rows = await readRows(
      connection,
      `SELECT project, epoch_us(min(timestamp)), epoch_us(max(timestamp)), count(*), ${arrivalCounts(number)}
       FROM ${tableInFile(alias, table)} GROUP BY project`,
    );
    if (rows.length === 0) continue;
    const sorted = rows
      .map((row) => ({ project: String(row[0]), first: Number(row[1]), last: Number(row[2]), count: Number(row[3]) }))
      .sort((a, b) => (a.project < b.project ? -1 : 1));
    sources.push({
      source: table,
      projects: sorted.map((row) => row.project),
      firstMicros: sorted.map((row) => row.first),
      lastMicros: sorted.map((row) => row.last),
      counts: sorted.map((row) => row.count),
      ...arrivalsOf(rows.map((row) => row.slice(4))),
    });
  }
  return sources;
}
